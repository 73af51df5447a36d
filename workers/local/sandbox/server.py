"""The sandbox as one web application: each side (gateway; later a courier) brings its own routes."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from workers.local.journal import Journal
from workers.local.sandbox.gateway import page
from workers.local.sandbox.gateway.doors import Doors
from workers.local.sandbox.gateway.ledger import Ledger
from workers.local.sandbox.gateway.machine import Machine
from workers.local.sandbox.gateway.protocol import Protocol
from workers.local.sandbox.webhooks import Target, WebhookSender


@dataclass(frozen=True)
class SandboxSettings:
    """`secret` signs both ways. `hold_seconds`: how long a scripted time-out keeps its caller hanging."""

    home: Path
    secret: str
    webhook_url: str = ""
    settle_ms: int = 500
    hold_seconds: float = 120.0
    webhook_retry_seconds: float = 600.0


def create_app(settings: SandboxSettings) -> web.Application:
    """The whole sandbox over the ledger in its home."""
    journal = Journal(settings.home / "gateway.jsonl")
    ledger = Ledger(journal)
    target = Target(settings.webhook_url, settings.secret, settings.webhook_retry_seconds)
    webhooks = WebhookSender(journal, target)
    machine = Machine(ledger, webhooks, settle_ms=settings.settle_ms)
    protocol = Protocol(ledger, machine, secret=settings.secret, hold_seconds=settings.hold_seconds)

    async def life(_app: web.Application) -> AsyncIterator[None]:
        await webhooks.start()
        machine.start()
        yield
        await webhooks.stop()
        journal.close()

    async def show_page(_request: web.Request) -> web.Response:
        return page.render(ledger)

    app = web.Application()
    app.cleanup_ctx.append(life)
    app.add_routes([web.get("/", show_page), web.get("/healthz", _healthz)])
    app.add_routes(protocol.routes())
    app.add_routes(Doors(ledger, machine).routes())
    return app


async def _healthz(_request: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})
