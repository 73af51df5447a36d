"""The code that a customer is asked for, as far as a page may show it to whoever has the link."""

from dataclasses import dataclass
from datetime import datetime

from refunds.destinations import Instrument, masked, masked_contact
from refunds.models import Refund


@dataclass(frozen=True, slots=True)
class CodeAsked:
    """A code is waited for: with it the money goes to `instrument`, an account with the end of what it knows the payee
    by; it was sent `to` a phone or a mail address, and is good `until` then."""

    instrument: Instrument
    payee: str
    to: str
    until: datetime


def code_asked(refund: Refund) -> CodeAsked | None:
    """Expects `target_changes` to be prefetched when called for many."""
    if refund.code_until is None:
        return None
    change = next((c for c in refund.target_changes.all() if not c.confirmed_at and not c.ended_at), None)
    if change is None:
        return None
    return CodeAsked(
        Instrument(change.instrument),
        masked(change.payee) if change.payee else "",
        masked_contact(change.code_channel, change.code_to),
        refund.code_until,
    )
