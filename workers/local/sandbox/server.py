"""The sandbox as one web application: each side, gateway and courier, brings its own books and routes."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from workers.local.journal import Journal
from workers.local.page import style_route
from workers.local.sandbox.courier.desk import Desk as CourierDesk
from workers.local.sandbox.courier.doors import Doors as CourierDoors
from workers.local.sandbox.courier.ledger import Ledger as CourierLedger
from workers.local.sandbox.courier.machine import Machine as CourierMachine
from workers.local.sandbox.courier.protocol import Protocol as CourierProtocol
from workers.local.sandbox.gateway.desk import Desk as GatewayDesk
from workers.local.sandbox.gateway.doors import Doors as GatewayDoors
from workers.local.sandbox.gateway.ledger import Ledger as GatewayLedger
from workers.local.sandbox.gateway.machine import Machine as GatewayMachine
from workers.local.sandbox.gateway.protocol import Protocol as GatewayProtocol
from workers.local.sandbox.page import find, overview
from workers.local.sandbox.webhooks import Target, WebhookSender


@dataclass(frozen=True)
class SandboxSettings:
    """`secret` signs both ways. `hold_seconds`: how long a scripted time-out keeps its caller hanging."""

    home: Path
    secret: str
    webhook_url: str = ""
    courier_webhook_url: str = ""
    settle_ms: int = 500
    hold_seconds: float = 120.0
    webhook_retry_seconds: float = 600.0


def create_app(settings: SandboxSettings) -> web.Application:
    """The whole sandbox over the ledgers in its home."""
    sides = (_gateway(settings), _courier(settings))

    async def show_page(request: web.Request) -> web.Response:
        return overview((side.overview() for side in sides), still="still" in request.query)

    app = web.Application()
    app.add_routes([web.get("/", show_page), web.get("/find", find), web.get("/healthz", _healthz), style_route()])
    for side in sides:
        app.cleanup_ctx.append(side.life)
        app.add_routes(side.routes)
    return app


@dataclass(frozen=True)
class Side:
    """One outside party: its books, its webhooks, its routes, its part of the page, and what it takes up again."""

    journal: Journal
    webhooks: WebhookSender
    routes: list[web.RouteDef]
    overview: Callable[[], str]
    resume: Callable[[], None] | None = None

    async def life(self, _app: web.Application) -> AsyncIterator[None]:
        """From start to stop of the server."""
        await self.webhooks.start()
        if self.resume:
            self.resume()
        yield
        await self.webhooks.stop()
        self.journal.close()


def _gateway(settings: SandboxSettings) -> Side:
    journal, webhooks = _books(settings, "gateway", webhook_url=settings.webhook_url)
    ledger = GatewayLedger(journal)
    machine = GatewayMachine(ledger, webhooks, settle_ms=settings.settle_ms)
    protocol = GatewayProtocol(ledger, machine, secret=settings.secret, hold_seconds=settings.hold_seconds)
    desk = GatewayDesk(ledger, machine)
    routes = [*protocol.routes(), *GatewayDoors(ledger, machine).routes(), *desk.routes()]
    return Side(journal, webhooks, routes, desk.overview, resume=machine.start)


def _courier(settings: SandboxSettings) -> Side:
    journal, webhooks = _books(settings, "courier", webhook_url=settings.courier_webhook_url)
    ledger = CourierLedger(journal)
    machine = CourierMachine(ledger, webhooks)
    protocol = CourierProtocol(ledger, machine, secret=settings.secret, hold_seconds=settings.hold_seconds)
    desk = CourierDesk(ledger, machine)
    routes = [*protocol.routes(), *CourierDoors(ledger, machine).routes(), *desk.routes()]
    return Side(journal, webhooks, routes, desk.overview)


def _books(settings: SandboxSettings, name: str, *, webhook_url: str) -> tuple[Journal, WebhookSender]:
    journal = Journal(settings.home / f"{name}.jsonl")
    return journal, WebhookSender(journal, Target(webhook_url, settings.secret, settings.webhook_retry_seconds))


async def _healthz(_request: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})
