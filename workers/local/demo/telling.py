"""How a story is printed: one line for each thing that happened, messages among them, by the time it took."""

import re
import textwrap
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from refunds.amounts import format_minor
from workers.local.demo.player import Player

WIDTH = 74
INDENT = " " * 23
#: Who is behind what nobody of the shop did, by the event or its first word.
OUTSIDE = {
    "gateway_refund": "gateway",
    "pickup": "courier",
    "intercept": "carrier",
    "shipment": "carrier",
    "shipment.stop_requested": "engine",
}
#: Follows at once from what a person did.
BY_ITSELF = ("shipment.stop_requested", "gateway_refund.intended", "gateway_refund.cancelled")
CONSEQUENCES = ("gateway_refund.cancelled",)
#: What an event says, where its own words do not.
WORDS = {
    "refund.requested": "asks for a refund of {amount}",
    "shipment.stop_requested": "tells the shop not to ship {lines}",
    "refund.in_review": "a person has to look",
    "refund.awaiting_return": "approved, the goods come back first",
    "refund.refunding": "the money may move",
    "gateway_refund.pending": "{amount} accepted, not there yet",
    "gateway_refund.succeeded": "{amount} moved",
    "gateway_refund.released": "nothing was taken: {amount} is held no longer",
    "gateway_refund.failed": "{amount} did not move",
    "gateway_refund.cancelled": "nothing was sent",
    "gateway_refund.intended": "to be sent once more",
    "gateway_refund.unanswered": "does not answer: it is asked about {amount}",
    "gateway_refund.not_there": "knows nothing of {amount}",
    "pickup.booked": "comes {slot_from}",
    "intercept.accepted": "tries to stop the parcel",
    "shipment.returning": "the parcel is turned round",
    "shipment.returned": "the parcel is back",
}
#: What only repeats what the messages show.
UNTOLD = ("refund.acknowledged",)
CHANNELS = {"email": "e-mail", "sms": "SMS"}


@dataclass(frozen=True)
class Moment:
    """`who` did or was sent something. `comes_last`: of what happened in one moment, being its consequence."""

    at: datetime
    who: str
    what: str
    comes_last: bool = False


def timeline(player: Player) -> list[str]:
    """What happened to every refund of the order."""
    lines = []
    for route, number in player.refunds.items():
        moments = [*_events(player, number), *_messages(player, number)]
        lines += [
            f"     {number} ({route})",
            *_lines(in_order(moments)),
        ]
    return lines


def in_order(moments: list[Moment]) -> list[Moment]:
    return sorted(moments, key=lambda moment: (moment.at, moment.comes_last))


def _lines(moments: list[Moment]) -> Iterator[str]:
    begun = moments[0].at
    for moment in moments:
        first, *more = _wrapped(moment.what) or [""]
        yield f"   {(moment.at - begun).total_seconds():5.1f} s  {moment.who:<10}  {first}"
        yield from (INDENT + line for line in more)


def _wrapped(text: str) -> list[str]:
    """A letter of Chinese takes two places."""
    is_wide = any(unicodedata.east_asian_width(letter) == "W" for letter in text)
    return textwrap.wrap(text, WIDTH // 2 + 8 if is_wide else WIDTH, break_on_hyphens=False)


def _events(player: Player, number: str) -> Iterator[Moment]:
    currency = player.order.facts["currency"]
    for event in player.trail(number):
        subject, _, happened = event["type"].partition(".")
        by_person = event["role"] != "system" and event["type"] not in BY_ITSELF
        who = event["role"] if by_person else OUTSIDE.get(event["type"]) or OUTSIDE.get(subject, "engine")
        told = _Told(event["data"], amount=format_minor(event["data"].get("amount_minor", 0), currency, "en"))
        words = WORDS.get(event["type"], happened.replace("_", " "))
        if event["type"] not in UNTOLD:
            yield Moment(
                datetime.fromisoformat(event["occurred_at"]), who, words.format_map(told), event["type"] in CONSEQUENCES
            )


def _messages(player: Player, number: str) -> Iterator[Moment]:
    for message in player.at.messages(number):
        text = message["text"] if message["channel"] == "sms" else _gist(message["text"])
        yield Moment(datetime.fromisoformat(message["sent_at"]), CHANNELS[message["channel"]], text)


def _gist(mail: str) -> str:
    """Its heading, and what follows the salutation."""
    parts = [" ".join(part.split()) for part in re.split(r"(?:\r?\n){2,}", mail)]
    heading, _salutation, first, *_ = [*parts, "", "", ""]
    return f"{heading}: {first}"


class _Told(dict[str, Any]):
    """What an event tells, in words; what it does not tell stays out."""

    def __missing__(self, name: str) -> str:
        return ""

    def __getitem__(self, name: str) -> str:
        value = super().__getitem__(name)
        if name == "lines":
            return ", ".join(f"{each['quantity']} x {each['line']}" for each in value)
        return datetime.fromisoformat(value).strftime("%-d %B, %H:%M UTC") if name == "slot_from" else str(value)
