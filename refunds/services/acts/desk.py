"""How every act begins and ends: permitted, locked, fresh, allowed by state; then written, with the engine woken."""

from collections.abc import Collection
from dataclasses import dataclass

from orders import clock
from orders.errors import Invalid, Stale
from orders.locks import WEB_WAIT_MS, lock_orders
from orders.roles import Actor
from orders.services.lines import LineKey, is_named
from refunds.actions import Action, hindrance, permit
from refunds.models import Refund, RefundLine
from refunds.selectors.allowed import position
from refunds.selectors.refunds import order_and_refund
from refunds.selectors.terms import other_terms
from refunds.services.docket import Docket
from refunds.services.wakes import INSURANCE, wake_notifications, wake_refunds


@dataclass(frozen=True, slots=True)
class Target:
    """The refund an act is about; `if_match` is the resource version the actor has seen, `terms` are what he went by
    (`refunds.selectors.terms`), each if he says so."""

    number: str
    channels: Collection[int]
    if_match: int | None = None
    terms: str | None = None


def open_for(action: Action, target: Target, actor: Actor) -> tuple[Refund, Docket]:
    """Lock, load and check. Raises Forbidden, NotFound (unknown or of another channel), Stale, Conflict, LockNotHad."""
    refund, docket = open_case(action, target, actor)
    check(action, refund, docket, actor)
    return refund, docket


def open_case(action: Action, target: Target, actor: Actor) -> tuple[Refund, Docket]:
    """Lock and load what the actor's role may do this to at all. Raises as `open_for`, whatever the state."""
    permit(action, actor)
    order_id, refund_id = order_and_refund(target.number, channels=target.channels)
    lock_orders([order_id], wait_ms=WEB_WAIT_MS)
    refund, docket = read_case(order_id, refund_id)
    if target.if_match is not None and target.if_match != refund.resource_version:
        raise Stale("stale_version", f"The refund is at version {refund.resource_version}: read it again.")
    if stale := other_terms(action, refund, docket.movements[refund.id], seen=target.terms):
        raise stale
    return refund, docket


def read_case(order_id: int, refund_id: int) -> tuple[Refund, Docket]:
    """The case as it is now, for who has its lock."""
    docket = Docket([order_id], now=clock.now())
    docket.open_cases([refund_id])
    return docket.refunds[refund_id], docket


def check(action: Action, refund: Refund, docket: Docket, actor: Actor) -> None:
    """Raise what hinders the actor, by the one table."""
    parcels = docket.parcels_of(refund)
    units = docket.units[refund.id]
    at = position(refund, docket.movements[refund.id], docket.pickups[refund.id], parcels, units)
    if problem := hindrance(action, at, actor):
        raise problem


def conclude(docket: Docket, refund: Refund) -> Refund:
    """Write what the act changed; the engine looks at it at once, the sweep in a few seconds at the latest."""
    refund.generation += 1
    docket.touch(refund)
    soon = docket.now + INSURANCE
    docket.set_clock(refund, min(refund.next_reconcile_at or soon, soon))
    wake_notifications(docket.write())
    wake_refunds([refund.id])
    return refund


def line_named(docket: Docket, refund: Refund, key: LineKey, path: str) -> list[RefundLine]:
    """The refund's rows of the line with this id or sku. Raises Invalid."""
    named = [r for r in docket.units[refund.id] if is_named(docket.lines[r.order_line_id], key)]
    if not named:
        raise Invalid.of(path, "unknown_line", f"The refund has no line {key!r}.")
    if len({r.order_line_id for r in named}) > 1:
        raise Invalid.of(path, "ambiguous_sku", "Several lines have this sku: name one by its id.")
    return named
