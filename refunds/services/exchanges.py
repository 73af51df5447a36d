"""An order replaces the goods of a refund: what the refund would have paid back is that order's money from then on.

The gateway moves nothing. The share of the order that gave the goods back has refunded it, and a share of the same
payment has it for the new order, so a refund of the replacement goes back to the payment, once.
"""

from dataclasses import dataclass

from orders import clock
from orders.errors import Conflict, FieldError, Invalid
from orders.models import Order, PaymentShare
from orders.roles import Actor
from refunds.models import GatewayRefund, LedgerEntry, Refund
from refunds.observing import known_from, waited_for
from refunds.records import insert_objects, new_ids, update
from refunds.seen import AWAITS_REPLACEMENT
from refunds.selectors.allowed import is_claimed
from refunds.selectors.refunds import refunds_numbered
from refunds.services.docket import Docket
from refunds.services.wakes import wake_notifications
from refunds.states import MovementKind, MovementState, Remedy


@dataclass(frozen=True, slots=True)
class Replaced:
    """The refund that an order names, and the order it is of."""

    number: str
    order_id: int
    refund_id: int


def find_replaced(number: str, *, channel_id: int, by: int | None) -> Replaced:
    """Raises Invalid for a refund that is not of this channel, or one of the order itself (`by`)."""
    for refund in refunds_numbered([number], channels=[channel_id]):
        if refund.order_id == by:
            raise Invalid.of("replaces", "own_refund", "An order does not replace its own goods.")
        return Replaced(refund.number, refund.order_id, refund.pk)
    raise Invalid.of("replaces", "unknown_refund", f"There is no refund {number[:64]} here.")


def refuse_replaced(replaced: Replaced, *, by: str) -> None:
    """Raise Conflict when another order than this one replaces it. Its order is locked."""
    number = Refund.objects.values_list("replaced_by", flat=True).get(pk=replaced.refund_id)
    if number not in ("", by):
        raise _conflict("already_replaced", f"{replaced.number} is replaced by order {number}.")


def exchange(replaced: Replaced, order: Order, shares: list[PaymentShare], *, actor: Actor) -> None:
    """Give the money of the refund to the order, which has these shares by now. Both orders are locked.

    Raises Conflict when the refund does not wait for an order that replaces it.
    """
    docket = Docket([replaced.order_id], now=clock.now())
    docket.open_cases([replaced.refund_id])
    refund = docket.refunds[replaced.refund_id]
    gives = [m for m in docket.movements[refund.id] if m.state != MovementState.CANCELLED]
    _refuse(docket, refund, gives, order)
    for movement in gives:
        docket.turn_into(movement, MovementKind.EXCHANGE)
        docket.move(movement, MovementState.EXTERNAL, proof=order.number)
    refund.replaced_by = order.number
    docket.decide_anew(refund)
    docket.record(refund, "refund.replaced", {"order": order.number, "amount_minor": refund.amount_minor}, actor)
    docket.look_soon(refund)
    wake_notifications(docket.write())
    _carry(docket, gives, order, shares)


def _refuse(docket: Docket, refund: Refund, gives: list[GatewayRefund], order: Order) -> None:
    if order.currency != refund.currency:
        raise _conflict("currency_mismatch", f"{refund.number} is in {refund.currency}, not in {order.currency}.")
    is_awaited = waited_for(known_from(refund.conditions)) == AWAITS_REPLACEMENT and refund.remedy == Remedy.REPLACEMENT
    if not is_awaited or any(_is_elsewhere(docket, movement) for movement in gives):
        raise _conflict("not_awaited", f"{refund.number}, which is {refund.state}, does not wait for a replacement.")


def _is_elsewhere(docket: Docket, movement: GatewayRefund) -> bool:
    """Others have this money, or may."""
    is_held = movement.id in docket.uncaptured_on(docket.shares[movement.share_id])
    is_here = movement.state == MovementState.INTENDED and not is_claimed(movement)
    return is_held or not is_here or movement.disputed_minor > 0


def _carry(docket: Docket, gives: list[GatewayRefund], order: Order, shares: list[PaymentShare]) -> None:
    """To a share of the same payment, which may be the first that this order has of it."""
    known, taking = {share.payment_id: share for share in shares}, dict[int, PaymentShare]()
    for movement in gives:
        payment = docket.payment_of(movement)
        share = known.get(payment.pk) or PaymentShare(order_id=order.pk, payment=payment)
        known[payment.pk] = taking[payment.pk] = share
        share.captured_minor += movement.amount_minor
        share.carried_minor += movement.amount_minor
    new = [share for share in taking.values() if not share.pk]
    update(PaymentShare, ("captured_minor", "carried_minor"), [share for share in taking.values() if share.pk])
    for share, new_id in zip(new, new_ids(PaymentShare, len(new)), strict=True):
        share.pk = new_id
    insert_objects(new)
    insert_objects([_entry(docket, m, taking[docket.payment_of(m).pk]) for m in gives])


def _entry(docket: Docket, movement: GatewayRefund, share: PaymentShare) -> LedgerEntry:
    return LedgerEntry(
        share_id=share.pk,
        kind="carried",
        amount_minor=movement.amount_minor,
        reference=movement.number,
        occurred_at=docket.now,
        recorded_at=docket.now,
    )


def _conflict(code: str, detail: str) -> Conflict:
    return Conflict(code, detail, errors=(FieldError("replaces", code, detail),))
