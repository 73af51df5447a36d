"""What a page says of one refund at its head."""

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    MOVING = "moving"  # the engine is at it, in seconds
    WAITING = "waiting"  # for somebody else
    ACT = "act"  # for the customer
    DONE = "done"
    OVER = "over"  # ended without money
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True)
class Told:
    """`todo` is what the customer must do, with its time in it; empty: nothing."""

    tone: Tone
    headline: str
    lead: str
    todo: str = ""
