"""Money sent elsewhere than it was meant to: who may say so, what proves it, and whose word it needs. Pure.

A link alone never moves money: what a customer chooses, and any other account, is proved by a code that goes to a phone
or an address the order has had for a day.
"""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple

CODE_DIGITS = 6
CODE_LASTS = timedelta(minutes=15)
CODE_TRIALS = 5
CODES_AN_HOUR = 3
#: A phone or an address that was changed later than so long ago proves nothing.
KNOWN_AFTER = timedelta(hours=24)
_SHOWN = 4


class Destination(NamedTuple):
    """The account that money goes to instead of back to its payment, and whom that account pays there: by a reference
    that it knows, empty where it knows by itself. All empty: back."""

    account: str = ""
    payee: str = ""

    def __str__(self) -> str:
        return f"{self.account}:{self.payee}" if self.payee else self.account


BACK = Destination()


class Instrument(StrEnum):
    """What kind of place it is."""

    ORIGINAL = "original"
    STORE_CREDIT = "store_credit"
    ACCOUNT = "account"


@dataclass(frozen=True, slots=True)
class Demand:
    """What a change asks for: a code from the customer, and where the proof of his consent is."""

    code: bool = False
    proof: bool = False


#: Instrument x is it the customer who says so. What is not here he may not say.
_DEMANDS = {
    (Instrument.ORIGINAL, False): Demand(),
    (Instrument.STORE_CREDIT, False): Demand(),
    (Instrument.STORE_CREDIT, True): Demand(code=True),
    (Instrument.ACCOUNT, False): Demand(code=True, proof=True),
    (Instrument.ACCOUNT, True): Demand(code=True),
}


@dataclass(frozen=True, slots=True)
class Contact:
    """How the customer is reached, and since when by that; None: since the order is known here."""

    phone: str = ""
    phone_since: datetime | None = None
    email: str = ""
    email_since: datetime | None = None


def demand(instrument: Instrument, *, by_customer: bool) -> Demand | None:
    """What this change asks for; None: he may not say so."""
    return _DEMANDS.get((instrument, by_customer))


def needs_second(to: Iterable[Destination], contact: Contact, changed_at: datetime | None) -> bool:
    """To another account a second person has to agree; and to whatever target, where that and how the customer is
    reached were changed within a day of each other, whichever came first. `changed_at`: when the target was."""
    times = (contact.phone_since, contact.email_since)
    both = changed_at is not None and any(at and abs(at - changed_at) < KNOWN_AFTER for at in times)
    return both or any(where.payee for where in to)


def code_goes_to(contact: Contact, now: datetime) -> tuple[str, str] | None:
    """Channel and address of a code: the phone, else the mail address, each only if it has been known for a day."""
    if contact.phone and not _is_fresh(contact.phone_since, now):
        return "sms", contact.phone
    if contact.email and not _is_fresh(contact.email_since, now):
        return "email", contact.email
    return None


def code_of(secret: str, salt: str) -> str:
    """The code of a salt: whoever has the rows alone cannot tell it, and every attempt to send it sends the same."""
    drawn = hmac.new(secret.encode(), f"target code {salt}".encode(), sha256).digest()
    return f"{int.from_bytes(drawn[:16]) % 10**CODE_DIGITS:0{CODE_DIGITS}d}"


class Verdict(StrEnum):
    """What a code that was entered is worth."""

    RIGHT = "right"
    WRONG = "wrong"
    EXPIRED = "expired"
    SPENT = "spent"


def judge(said: str, code: str, *, trials: int, expires_at: datetime, now: datetime) -> Verdict:
    """`trials`: how often a wrong one was entered before. A code that has run out is not compared at all."""
    if now >= expires_at:
        return Verdict.EXPIRED
    if hmac.compare_digest(said.strip().encode(), code.encode()):
        return Verdict.RIGHT
    return Verdict.WRONG if trials + 1 < CODE_TRIALS else Verdict.SPENT


def masked(reference: str) -> str:
    """As pages show it: the end of it, where it is long enough to hide the rest."""
    return f"***{reference[-_SHOWN:]}" if len(reference) >= 2 * _SHOWN else "***"


def masked_contact(channel: str, to: str) -> str:
    """A phone number or mail address as pages show it to whoever has the link."""
    name, at, domain = to.rpartition("@")
    return f"{name[:1]}***@{domain}" if channel == "email" and at else masked(to)


def _is_fresh(since: datetime | None, now: datetime) -> bool:
    return since is not None and now - since < KNOWN_AFTER
