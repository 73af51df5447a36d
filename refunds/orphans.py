"""What becomes of a refund at the gateway, or of a courier's visit, that nobody here seems to have asked for; and of
disputes. Pure.

| its owner | a refund | a pickup |
|---|---|---|
| is asking about it itself | wait for the answer | - |
| has it in its books, in this state | keep | keep |
| does not know it, running or ended | its owner is told, and asks | - |
| perhaps one that waits for its answer: it has no number | wait for that | - |
| none, on a payment (under a number) of ours | adopt into the payment's ledger | call it off |
| none, of another system | keep, not ours | keep, not ours |
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from refunds import calls
from refunds.judging import is_as_told, is_own
from refunds.movements import MovementView
from workers.ports import GatewayFact, GatewayStatus

#: Money under way, or gone.
MOVING = (GatewayStatus.PENDING, GatewayStatus.SUCCEEDED)
#: So long may a refund of ours go without what was found under its number, before a person is asked to look.
LONGEST_UNSETTLED = timedelta(hours=1)


class DisputeStatus(StrEnum):
    """Its last word counts."""

    OPENED = "opened"
    WON = "won"
    LOST = "lost"


class Fate(StrEnum):
    WAIT = "wait"
    KEEP = "keep"
    TELL = "tell"
    ADOPT = "adopt"
    IGNORE = "ignore"
    CALL_OFF = "call_off"


@dataclass(frozen=True, slots=True)
class OrphanView:
    """`owner`: our movement under its number, or that holds it. `booked`: how its money stands in the ledger beside the
    owner's own; None: it does not. `is_payment_ours`: an order here has a share of the payment. `may_be_ours`: nobody
    says under which number it was made, and what became of a call of ours about this payment is open."""

    fact: GatewayFact
    owner: MovementView | None
    booked: GatewayStatus | None
    is_payment_ours: bool
    may_be_ours: bool = False


def refund_fate(seen: OrphanView, now: datetime) -> Fate:
    """Of a refund at the gateway."""
    if seen.owner is None and seen.may_be_ours:
        return Fate.WAIT
    if seen.owner is None:
        return Fate.ADOPT if seen.is_payment_ours else Fate.IGNORE
    if calls.is_out(seen.owner.call, now):
        return Fate.WAIT
    return Fate.KEEP if _is_in_the_books(seen, seen.owner) else Fate.TELL


def pickup_fate(*, is_known: bool, is_ours: bool) -> Fate:
    """Of a visit: `is_known` to a refund of ours, `is_ours` by its number."""
    if is_known:
        return Fate.KEEP
    return Fate.CALL_OFF if is_ours else Fate.IGNORE


def dispute_fate(*, is_payment_ours: bool) -> Fate:
    """Of a dispute, which nobody here asks for."""
    return Fate.ADOPT if is_payment_ours else Fate.IGNORE


def dispute_entries(status: DisputeStatus, has: Collection[str]) -> Iterator[str]:
    """The kinds of ledger entries that follow, in their order, where these are booked. Of one that was won before
    anybody here heard that it was opened there is nothing to book."""
    if "dispute" not in has:
        if status is DisputeStatus.WON:
            return
        yield "dispute"
    if status is DisputeStatus.WON and "dispute_won" not in has:
        yield "dispute_won"
    if status is DisputeStatus.LOST and "dispute_lost" not in has:
        yield "dispute_lost"


def _is_in_the_books(seen: OrphanView, owner: MovementView) -> bool:
    fact = seen.fact
    if is_own(owner, fact):
        return is_as_told(owner, fact)
    is_old = fact.status is GatewayStatus.PENDING and fact.gateway_refund_id in owner.failed_ids
    return is_old or seen.booked is (fact.status if fact.status in MOVING else None)


def booked_as(kinds: Collection[str]) -> GatewayStatus | None:
    """How money stands in the ledger, by the entries of its kinds: under way, gone, or not (any more)."""
    if "reserve" in kinds and "release" not in kinds:
        return GatewayStatus.PENDING
    is_gone = not {"refund", "external"}.isdisjoint(kinds) and "reversal" not in kinds
    return GatewayStatus.SUCCEEDED if is_gone else None


def entries_due(status: GatewayStatus, has: Collection[str], *, gone: str) -> Iterator[str]:
    """The kinds of ledger entries that follow, in their order, where these are booked; each at most once, whatever is
    told and however often. `gone`: the kind for money that has gone."""
    if booked_as(has) is GatewayStatus.PENDING and status is not GatewayStatus.PENDING:
        yield "release"
    if status is GatewayStatus.PENDING and not has:
        yield "reserve"
    if status is GatewayStatus.SUCCEEDED and gone not in has:
        yield gone
    if status not in MOVING and gone in has and "reversal" not in has:
        yield "reversal"


def advanced(held: GatewayStatus, told: GatewayStatus) -> GatewayStatus:
    """Nothing goes down; failed after succeeded is reversed."""
    if (held, told) == (GatewayStatus.SUCCEEDED, GatewayStatus.FAILED):
        return GatewayStatus.REVERSED
    return max(held, told, key=list(GatewayStatus).index)
