"""What the inbox keeps: every delivery, duplicates too; and the faults it is told to play."""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any

from workers.local.journal import Journal, Row

EMAIL_FAULTS = ("reject_550", "defer_451", "timeout_after_accept", "drop_connection")
SMS_FAULTS = ("reject_400", "rate_limit_429", "error_500", "timeout_after_accept", "drop_connection")
FAULTS = {"email": EMAIL_FAULTS, "sms": SMS_FAULTS}


class BadFault(ValueError):
    """A fault the inbox does not know; the message names the place."""


@dataclass
class Fault:
    """A misbehaviour for the next `times` messages; to one person only, or with an empty `to` to anybody."""

    behaviour: str
    times: int
    to: str


class Mailbox:
    """Messages over a journal, faults in memory."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._faults: dict[str, Fault] = {}

    def keep(self, channel: str, message: Row) -> Row:
        """A delivery, durable when this returns."""
        message_id = str(len(self._journal.rows("message")) + 1)
        row = {"id": message_id, "channel": channel, "sent_at": datetime.now(UTC).isoformat(), **message}
        self._journal.put("message", message_id, row)
        self._journal.flush()
        return row

    def messages(self, *, to: str | None = None, refund: str | None = None) -> list[Row]:
        """Deliveries in order of arrival, to one person and about one refund where these are given."""
        rows = self._journal.rows("message").values()
        return [
            row
            for row in rows
            if (to is None or row["to"].casefold() == to.casefold()) and (refund is None or row["refund"] == refund)
        ]

    def message(self, message_id: str) -> Row | None:
        return self._journal.rows("message").get(message_id)

    def set_faults(self, body: Any) -> None:
        """Replace the faults of the channels named; null clears one. Raises BadFault."""
        if not isinstance(body, dict) or set(body) - set(FAULTS):
            raise BadFault('faults are an object: {"email": {"behaviour", "times"}, "sms": ...}')
        parsed = {channel: _fault(channel, told) for channel, told in body.items()}
        for channel, fault in parsed.items():
            self._faults.pop(channel, None)
            if fault is not None:
                self._faults[channel] = fault

    def take_fault(self, channel: str, to: str, among: tuple[str, ...]) -> str:
        """The behaviour due for a message to this person at this step, counted down; "" for none."""
        fault = self._faults.get(channel)
        if fault is None or fault.behaviour not in among or fault.to not in ("", to) or fault.times <= 0:
            return ""
        fault.times -= 1
        return fault.behaviour


def mail_row(mail: EmailMessage, to: str) -> Row:
    """A parsed mail as it is kept for one recipient."""
    return {
        "to": to,
        "from": str(mail.get("From", "")),
        "subject": str(mail.get("Subject", "")),
        "text": _body(mail, "plain"),
        "html": _body(mail, "html"),
        "refund": str(mail.get("X-Refund", "")),
        "message_id": str(mail.get("Message-ID", "")),
        "references": str(mail.get("References", "")).split(),
    }


def _body(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    return part.get_content() if part is not None else ""


def _fault(channel: str, told: Any) -> Fault | None:
    if told is None:
        return None
    if not isinstance(told, dict) or set(told) - {"behaviour", "times", "to"}:
        raise BadFault(f"{channel} is neither null nor an object of behaviour, times and to")
    behaviour, times, to = told.get("behaviour"), told.get("times", 1), told.get("to", "")
    if behaviour not in FAULTS[channel]:
        raise BadFault(f"{channel}.behaviour is none of {', '.join(FAULTS[channel])}")
    if type(times) is not int or times < 0 or not isinstance(to, str):
        raise BadFault(f"{channel}.times is no whole number, or to is no text")
    return Fault(behaviour, times, to)
