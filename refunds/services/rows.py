"""Between rows and the values the pure rules speak of."""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from enum import StrEnum
from functools import reduce
from operator import attrgetter
from typing import Any, TypeVar

from django.conf import settings

from orders.models import Order, OrderLine, PaymentShare, Shipment
from orders.models.call import OutsideCall
from orders.states import Fulfilment, LineUnits, ShipmentState
from refunds import records
from refunds.calls import CallPhase, CallState, Timing
from refunds.models import GatewayRefund, Pickup, Refund
from refunds.money import Ask, Case, DiscountMoney, LineMoney, OrderMoney, Taken, Terms
from refunds.movements import MovementView
from refunds.numbers import movement_number
from refunds.parcels import ParcelView, PickupView
from refunds.routing import Reading, Sent
from refunds.selectors.policies import policy_of as policy_of
from refunds.states import RELEASED_STATES, Goods, Initiator, MovementKind, MovementState, PickupState, Route
from refunds.terms import Circumstances, terms
from workers.ports import Capabilities

Word = TypeVar("Word", bound=StrEnum)

TIMING = Timing(
    call_seconds=settings.CALL_SECONDS,
    retry_seconds=settings.RETRY_SECONDS,
    retry_cap_seconds=settings.RETRY_CAP_SECONDS,
)
CALL_COLUMNS = (
    "call",
    "call_kind",
    "attempt",
    "sent_at",
    "answer_due_at",
    "asked_at",
    "retry_at",
    "failures",
    "last_error",
)
_after_phase = attrgetter(*CALL_COLUMNS[1:])


def reader(words: type[Word]) -> Callable[[str], Word]:
    """What makes the member of a stored value: calling an enum costs ten times as much, and a pass does so for each row
    and word of it."""
    return {word.value: word for word in words}.__getitem__


call_phase = reader(CallPhase)
movement_kind = reader(MovementKind)
movement_state = reader(MovementState)


def call_of(row: OutsideCall) -> CallState:
    return CallState(call_phase(row.call), *_after_phase(row))


def parcel_view(row: Shipment, can: Capabilities, *, number: str, reading: Reading) -> ParcelView:
    return ParcelView(
        number,
        ShipmentState(row.state),
        call_of(row),
        can,
        tracking_number=row.tracking_number,
        delivery_known_at=row.delivery_known_at,
        assumed_at=reading.assumed_at(sent_of(row)),
    )


def sent_of(row: Shipment) -> Sent:
    return Sent(ShipmentState(row.state), row.shipped_at, row.sent_at, row.delivery_known_at)


def put_call(row: OutsideCall, call: CallState) -> None:
    for name in CALL_COLUMNS:
        setattr(row, name, getattr(call, name))


def new_movement(refund: Refund, n: int, *, new_id: int, share_id: int, amount_minor: int) -> GatewayRefund:
    """The n-th movement of the refund, on one payment share."""
    return records.new(
        GatewayRefund,
        id=new_id,
        refund_id=refund.id,
        share_id=share_id,
        number=movement_number(refund.number, n),
        amount_minor=amount_minor,
        currency=refund.currency,
        failed_ids=[],
        receipt={},
    )


def movement_view(
    row: GatewayRefund,
    can: Capabilities,
    *,
    overdrawn: bool = False,
    not_before: datetime | None = None,
    uncaptured: bool = False,
) -> MovementView:
    return MovementView(
        number=row.number,
        state=movement_state(row.state),
        amount_minor=row.amount_minor,
        currency=row.currency,
        call=call_of(row),
        can=can,
        gateway_refund_id=row.gateway_refund_id,
        failed_ids=frozenset(row.failed_ids),
        failure_code=row.failure_code,
        key_no=row.key_no,
        server_error=row.server_error,
        open_since=row.accepted_at,
        replaced=bool(row.replaced_by),
        overdrawn=overdrawn,
        not_before=not_before,
        kind=movement_kind(row.kind),
        disputed=row.disputed_minor > 0,
        uncaptured=uncaptured,
    )


def pickup_view(row: Pickup, can: Capabilities) -> PickupView:
    return PickupView(
        number=row.number,
        state=PickupState(row.state),
        call=call_of(row),
        can=can,
        created_at=row.created_at,
        waybill=row.waybill,
        by_courier=bool(row.account),
        drop_off=row.drop_off,
        missed=row.missed,
        refusal=row.refusal,
        unwanted=row.unwanted,
        collected_at=row.collected_at,
        fact_at=row.fact_at,
        slot_to=row.slot_to,
    )


def line_units(line: OrderLine) -> LineUnits:
    return LineUnits(
        quantity=line.quantity,
        shipped=line.shipped,
        delivered=line.delivered,
        withheld=line.withheld,
        refunded_unshipped=line.refunded_unshipped,
        ships=line.fulfilment == Fulfilment.SHIP,
    )


def is_goods_left(order: Order, lines: Collection[OrderLine]) -> bool:
    """Units, or a part of their price, that no refund has."""
    has_units = any(line.quantity > line.held + line.refunded for line in lines)
    return has_units or any(left.amount_minor for left in Case.of(order_money(order, lines), Ask()).goods_left.values())


def order_money(
    order: Order, lines: Iterable[OrderLine], *, shares: Collection[PaymentShare] = (), refunds: Iterable[Refund] = ()
) -> OrderMoney:
    """The order's money as the sheet reads it. What refunds took of lines and shipping is counted in the rows; the rest
    stands in the sheets of those that were not released (`refunds`: all of the order, or without the one to be drawn up
    anew). Shares and refunds may be left out where only prices are wanted.
    """
    return OrderMoney(
        currency=order.currency,
        prices_include_tax=order.prices_include_tax,
        lines=tuple(line_money(line) for line in lines),
        discounts=tuple(discount_money(d) for d in order.discounts),
        shipping_minor=order.shipping_minor,
        shipping_tax_minor=order.shipping_tax_minor,
        shipping_refunded_minor=order.shipping_refunded_minor,
        shipping_tax_refunded_minor=order.shipping_tax_refunded_minor,
        supplement_minor=order.shipping_supplement_minor,
        non_refundable_minor=order.non_refundable_minor,
        captured_minor=sum(share.captured_minor for share in shares),
        free_minor=sum(share.free_minor - share.authorized_minor for share in shares),
        points_earned=order.points_earned,
        taken=reduce(Taken.plus, (r.sheet for r in refunds if r.state not in RELEASED_STATES), Taken()),
    )


def line_money(line: OrderLine) -> LineMoney:
    return LineMoney(
        line_id=line.line_id,
        name=line.name,
        quantity=line.quantity,
        list_minor=line.list_minor,
        tax_minor=line.tax_minor,
        refunded_units=line.held + line.refunded,
        refunded_minor=line.refunded_minor,
        refunded_tax_minor=line.refunded_tax_minor,
        adjusted_minor=line.adjusted_minor,
        adjusted_tax_minor=line.adjusted_tax_minor,
        gift_for=line.gift_for,
        bundle=line.bundle,
        tax_rate=line.tax_rate,
    )


def discount_money(value: dict[str, Any]) -> DiscountMoney:
    lines = value.get("lines")
    return DiscountMoney(
        label=value["label"],
        amount_minor=value["amount_minor"],
        lines=None if lines is None else tuple(lines),
        funded_by=value.get("funded_by", "shop"),
        minimum_minor=value.get("minimum_minor", 0),
    )


def terms_of(refund: Refund, lines: Iterable[OrderLine]) -> Terms:
    """What the refund is given on, by the policy it is pinned to."""
    about = Circumstances(
        currency=refund.currency,
        reason_code=refund.reason_code,
        route=Route(refund.route),
        goods=Goods(refund.goods),
        shipped=any(line.shipped for line in lines),
        by_shop=refund.initiator == Initiator.MERCHANT,
    )
    return terms(policy_of(refund.policy_version_id), about)
