"""Webhooks out: signed, late, in copies, retried until taken. What was not yet taken is sent after a restart."""

import asyncio
import contextlib
import json
import logging
import secrets
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

import aiohttp

from workers.adapters import signing
from workers.local.journal import Journal, Row
from workers.local.sandbox.answering import now

log = logging.getLogger(__name__)
RETRY_SECONDS = (0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30)


@dataclass(frozen=True)
class Target:
    """Where webhooks go; an empty URL sends none. Retries end `retry_seconds` after the first attempt."""

    url: str
    secret: str
    retry_seconds: float = 600.0


class WebhookSender:
    """The outbox. One asyncio task per event."""

    def __init__(self, journal: Journal, target: Target) -> None:
        self._journal = journal
        self._target = target
        self._tasks: set[asyncio.Task[None]] = set()
        self._session: aiohttp.ClientSession | None = None

    async def start(self) -> None:
        """Open the session, and take up what a former process left."""
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=10))
        for event_id, row in list(self._journal.rows("webhook").items()):
            if row["state"] == "waiting":
                self.spawn(self._deliver(event_id))

    async def stop(self) -> None:
        """Drop what is under way; it stays in the outbox."""
        for task in self._tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._session:
            await self._session.close()

    def put(self, content: Row, *, delay_ms: int = 0, copies: int = 1, held: bool = False) -> str:
        """Keep an event for sending, or for `release` if held; `content` gets its id and time here. Its id."""
        event_id = f"evt_{secrets.token_hex(10)}"
        event = {"id": event_id, "occurred_at": now(), **content}
        state = ("held" if held else "waiting") if copies and self._target.url else "unsent"
        row = {"event": event, "due": time.time() + delay_ms / 1000, "copies": copies, "state": state, "attempts": 0}
        self._journal.put("webhook", event_id, row)
        return event_id

    def release(self, event_id: str) -> None:
        """A held event may go, also after a restart."""
        if self._journal.rows("webhook")[event_id]["state"] == "held":
            self._journal.change("webhook", event_id, state="waiting")

    def send(self, *event_ids: str) -> None:
        """Send these one after the other, each when it is due and the one before it was taken."""
        self.spawn(self._deliver_in_order(event_ids))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run it in the background, and keep hold of it."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver_in_order(self, event_ids: tuple[str, ...]) -> None:
        for event_id in event_ids:
            await self._deliver(event_id)

    async def _deliver(self, event_id: str) -> None:
        row = self._journal.rows("webhook")[event_id]
        if row["state"] != "waiting":
            return
        await asyncio.sleep(max(0.0, row["due"] - time.time()))
        taken = await asyncio.gather(*(self._send_until_taken(event_id) for _ in range(row["copies"])))
        self._journal.change("webhook", event_id, state="taken" if all(taken) else "given_up")
        self._journal.flush()

    async def _send_until_taken(self, event_id: str) -> bool:
        give_up = time.monotonic() + self._target.retry_seconds
        attempt = 0
        while not await self._attempt(event_id):
            wait = RETRY_SECONDS[min(attempt, len(RETRY_SECONDS) - 1)]
            if time.monotonic() + wait > give_up:
                log.warning("webhook %s was never taken", event_id)
                return False
            await asyncio.sleep(wait)
            attempt += 1
        return True

    async def _attempt(self, event_id: str) -> bool:
        row = self._journal.rows("webhook")[event_id]
        self._journal.change("webhook", event_id, attempts=row["attempts"] + 1)
        body = json.dumps(row["event"]).encode()
        signed = signing.sign(self._target.secret, body, message_id=event_id, now=time.time())
        headers = {"Content-Type": "application/json", **signed}
        assert self._session is not None
        try:
            async with self._session.post(self._target.url, data=body, headers=headers) as answer:
                return 200 <= answer.status < 300
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False
