"""The inbox as one web application with an SMTP server beside it."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from workers.adapters import signing
from workers.local.inbox import pages
from workers.local.inbox.mailbox import SMS_FAULTS, BadFault, Mailbox
from workers.local.inbox.smtp import MailHandler, start_smtp
from workers.local.journal import Journal, Row
from workers.local.page import style_route
from workers.ports import BadSignature

ANSWERS = {
    "reject_400": (400, "bad_number"),
    "rate_limit_429": (429, "rate_limited"),
    "error_500": (500, "internal"),
}


@dataclass(frozen=True)
class InboxSettings:
    """`secret` is what SMS are signed with. `hold_seconds`: how long a scripted time-out keeps its caller hanging."""

    home: Path
    secret: str
    host: str = "127.0.0.1"
    smtp_port: int = 0
    hold_seconds: float = 120.0


class Inbox:
    """The HTTP side."""

    def __init__(self, settings: InboxSettings, mailbox: Mailbox) -> None:
        self._settings = settings
        self._mailbox = mailbox
        self._smtp_port = settings.smtp_port

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/", self.get_list),
            web.get("/healthz", self.get_health),
            web.get("/messages", self.get_messages),
            web.get("/messages/{id}", self.get_message),
            web.get("/messages/{id}/html", self.get_mail),
            style_route(),
            web.post("/sms", self.post_sms),
            web.put("/faults", self.put_faults),
        ]

    async def life(self, _app: web.Application) -> AsyncIterator[None]:
        """The SMTP server lives as long as the application."""
        handler = MailHandler(self._mailbox, hold_seconds=self._settings.hold_seconds)
        smtp = await start_smtp(handler, host=self._settings.host, port=self._settings.smtp_port)
        self._smtp_port = smtp.sockets[0].getsockname()[1]
        yield
        smtp.close()

    async def get_health(self, _request: web.Request) -> web.Response:
        return web.json_response({"status": "ok", "smtp_port": self._smtp_port})

    async def get_messages(self, request: web.Request) -> web.Response:
        """Every delivery, in order of arrival."""
        query = request.query
        return web.json_response(self._mailbox.messages(to=query.get("to"), refund=query.get("refund")))

    async def get_list(self, request: web.Request) -> web.Response:
        asked = pages.Asked(**{name: request.query.get(name, "") for name in ("to", "refund", "still")})
        found = self._mailbox.messages(to=asked.to or None, refund=asked.refund or None)
        return pages.render_list(found, self._mailbox.messages(), asked)

    async def get_message(self, request: web.Request) -> web.Response:
        message = self._found(request)
        same_refund = self._mailbox.messages(refund=message["refund"])
        return pages.render_message(message, same_refund, request.query.get("view", ""))

    async def get_mail(self, request: web.Request) -> web.Response:
        return pages.render_mail(self._found(request))

    def _found(self, request: web.Request) -> Row:
        message = self._mailbox.message(request.match_info["id"])
        if message is None:
            raise web.HTTPNotFound
        return message

    async def put_faults(self, request: web.Request) -> web.Response:
        """Misbehave from now on, or no more."""
        try:
            self._mailbox.set_faults(json.loads(await request.read()))
        except (BadFault, ValueError, RecursionError) as exc:
            raise _problem(422, "invalid", str(exc)) from exc
        return web.json_response({})

    async def post_sms(self, request: web.Request) -> web.Response:
        """One SMS, kept however often it comes."""
        body = await request.read()
        self._check_signature(request, body)
        message = _sms(body)
        fault = self._mailbox.take_fault("sms", message["to"], SMS_FAULTS)
        if fault in ANSWERS:
            raise _problem(*ANSWERS[fault], "scripted")
        if fault == "drop_connection" and request.transport is not None:
            request.transport.abort()
            raise web.HTTPServiceUnavailable
        kept = self._mailbox.keep("sms", message)
        if fault == "timeout_after_accept":
            await asyncio.sleep(self._settings.hold_seconds)
        return web.json_response({"id": f"sms_{kept['id']}"}, status=202)

    def _check_signature(self, request: web.Request, body: bytes) -> None:
        try:
            signing.verify(self._settings.secret, body, headers=request.headers, now=time.time())
        except BadSignature as exc:
            raise _problem(401, "bad_signature", str(exc)) from exc


def create_app(settings: InboxSettings) -> web.Application:
    """The whole inbox over the journal in its home."""
    journal = Journal(settings.home / "inbox.jsonl")
    inbox = Inbox(settings, Mailbox(journal))
    app = web.Application()
    app.cleanup_ctx.append(inbox.life)
    app.add_routes(inbox.routes())
    return app


def _sms(body: bytes) -> Row:
    try:
        told: Any = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise _problem(422, "invalid", "the body is not JSON") from exc
    texts = ("id", "to", "template", "text", "refund")
    if not isinstance(told, dict) or not all(isinstance(told.get(name, ""), str) for name in texts):
        raise _problem(422, "invalid", "needed: id, to, and text or template with params")
    if not (told.get("id") and told.get("to")):
        raise _problem(422, "invalid", "id and to are missing")
    row = {name: told.get(name, "") for name in ("to", "template", "text", "refund")}
    return {**row, "params": told.get("params") or {}, "message_id": told["id"], "subject": "", "html": ""}


def _problem(status: int, code: str, message: str) -> web.HTTPException:
    kinds = {400: web.HTTPBadRequest, 401: web.HTTPUnauthorized, 422: web.HTTPUnprocessableEntity,
             429: web.HTTPTooManyRequests, 500: web.HTTPInternalServerError}  # fmt: skip
    return kinds[status](text=json.dumps({"code": code, "message": message}), content_type="application/json")
