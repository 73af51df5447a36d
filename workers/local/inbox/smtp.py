"""The inbox's SMTP side, on aiosmtpd."""

import asyncio
from email import message_from_bytes, policy
from typing import cast

from aiosmtpd.smtp import SMTP, Envelope, Session

from workers.local.inbox.mailbox import Mailbox, mail_row

REFUSALS = {"reject_550": "550 5.1.1 no such person (scripted)", "defer_451": "451 4.3.0 try again later (scripted)"}
AT_DATA = ("timeout_after_accept", "drop_connection")


class MailHandler:
    """aiosmtpd's hooks: refuse at RCPT, keep or misbehave at DATA."""

    def __init__(self, mailbox: Mailbox, *, hold_seconds: float) -> None:
        self._mailbox = mailbox
        self._hold_seconds = hold_seconds

    async def handle_RCPT(
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        fault = self._mailbox.take_fault("email", address, tuple(REFUSALS))
        if fault:
            return REFUSALS[fault]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, _session: Session, envelope: Envelope) -> str:
        mail = message_from_bytes(cast(bytes, envelope.content), policy=policy.default)
        faults = [self._mailbox.take_fault("email", to, AT_DATA) for to in envelope.rcpt_tos]
        if "drop_connection" in faults:
            cast(asyncio.Transport, server.transport).abort()
            return "421 4.3.2 dropped (scripted)"
        for to in envelope.rcpt_tos:
            self._mailbox.keep("email", mail_row(mail, to))
        if "timeout_after_accept" in faults:
            await asyncio.sleep(self._hold_seconds)
        return "250 2.0.0 kept"


async def start_smtp(handler: MailHandler, *, host: str, port: int) -> asyncio.Server:
    """Listen; port 0 takes a free one."""
    loop = asyncio.get_running_loop()
    return await loop.create_server(
        lambda: SMTP(handler, hostname="inbox.localhost", enable_SMTPUTF8=True, loop=loop), host=host, port=port
    )
