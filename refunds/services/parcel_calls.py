"""The calls to couriers: claimed in T1 under the lock, and what came of them taken into the docket in T2."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings

from orders.models import Order, Shipment
from orders.roles import SYSTEM
from orders.states import ShipmentState
from refunds import calls
from refunds.fetching import Verdict, heard, judge_done, judge_found, judge_tracked, track_later
from refunds.judging import Attempt
from refunds.models import Pickup, Refund
from refunds.numbers import intercept_number
from refunds.parcels import ParcelAct, ParcelCall
from refunds.services.couriers import account_of
from refunds.services.docket import Docket
from refunds.services.parcel_facts import (
    add_unwanted,
    called_off,
    collected,
    take_homeward,
    take_outward,
)
from refunds.services.rows import TIMING, call_of, pickup_view, policy_of, put_call
from refunds.states import Goods, RefundState, Route
from workers.ports import (
    Booked,
    Cancelled,
    Capabilities,
    Intercepting,
    InterceptOrder,
    NotSent,
    ParcelFact,
    ParcelsFound,
    PickupOrder,
    Refused,
    Slot,
    Unknown,
)

#: A visit that is refused to be called off with one of these has taken place.
_TOO_LATE = ("already_collected", "too_late")
#: What the engine may rely on at an account.
Abilities = Callable[[str], Capabilities]
ParcelAnswer = Booked | Cancelled | Intercepting | ParcelsFound | Refused | Unknown | NotSent


def slot_of(account: str, *, asks: bool) -> str:
    """Asking has a window of its own at each account, so that questions never wait behind what raises them."""
    return f"ask:{account}" if asks else f"send:{account}"


@dataclass(frozen=True, slots=True)
class ParcelOut:
    """A claimed call to a courier: what it is about, and what to ask for. `number`: as he has it."""

    refund_id: int
    account: str
    act: ParcelAct
    subject: str
    of: Attempt
    number: str = ""
    key: str = ""
    waybill: str = ""
    pickup: PickupOrder | None = None
    intercept: InterceptOrder | None = None

    @property
    def slot(self) -> str:
        return slot_of(self.account, asks=self.act.asks)


@dataclass(frozen=True, slots=True)
class ParcelTold:
    """What came of it."""

    out: ParcelOut
    answer: ParcelAnswer

    @property
    def refund_id(self) -> int:
        return self.out.refund_id


def claim(docket: Docket, refund: Refund, call: ParcelCall) -> ParcelOut:
    """Claim a call. One that only asks notes when; the others are ours to make now."""
    row = _row(docket, refund, call.subject)
    before = call_of(row)
    if call.act.asks:
        put_call(row, calls.asked(before, now=docket.now, timing=TIMING))
    else:
        put_call(row, calls.claim(before, call.act, now=docket.now, timing=TIMING))
        docket.touch(refund)
    _touch(docket, row)
    of = Attempt(attempt=row.attempt, before=before, asked_at=docket.now)
    out = ParcelOut(refund.id, account_of(docket, refund, row), call.act, call.subject, of)
    if isinstance(row, Pickup):
        order = _pickup_order(docket, refund, row) if call.act is ParcelAct.BOOK else None
        number = row.booked_as or row.number
        return replace(out, number=number, key=row.idempotency_key, waybill=row.waybill, pickup=order)
    return replace(out, waybill=row.tracking_number, intercept=_intercept_order(refund, row, call.subject))


def take_answer(docket: Docket, told: ParcelTold, can: Abilities) -> None:
    """Take a courier's answer into the docket."""
    out, refund = told.out, docket.refunds[told.out.refund_id]
    row = _row(docket, refund, out.subject)
    verdict = _judge(docket, row, told, can)
    put_call(row, verdict.call)
    _touch(docket, row)
    if isinstance(row, Pickup):
        _put_verdict(docket, refund, row, out.act, verdict)
    elif verdict.refusal:
        _follow_anyway(docket, row, verdict)
        _not_stopped(docket, refund, row, verdict.refusal)
    elif out.act is ParcelAct.INTERCEPT and verdict.fact and row.state == ShipmentState.SHIPPED:
        row.intercept()
        docket.record(refund, "intercept.accepted", {"shipment": row.id}, SYSTEM)
    if isinstance(row, Shipment) and verdict.fact:
        take_outward(docket, refund, row, verdict.fact)


def _judge(docket: Docket, row: Pickup | Shipment, told: ParcelTold, can: Abilities) -> Verdict:
    out, now, answer = told.out, docket.now, _as_heard(told.answer, docket.now)
    if out.act is ParcelAct.TRACK and not isinstance(answer, ParcelFact | Refused):
        return judge_tracked(call_of(row), answer, now=now, timing=TIMING)
    if out.act is ParcelAct.FIND and isinstance(row, Pickup) and not isinstance(answer, ParcelFact | Refused):
        return judge_found(pickup_view(row, can(row.account)), answer, of=out.of, now=now, timing=TIMING)
    if isinstance(answer, ParcelsFound):
        raise TypeError(f"{out.subject}: a look-up is no answer to {out.act}")
    return judge_done(call_of(row), answer, of=out.of, now=now, timing=TIMING)


def _as_heard(answer: ParcelAnswer, at: datetime) -> ParcelFact | ParcelsFound | Refused | Unknown | NotSent:
    """What was done as the fact that it is; facts as they are heard."""
    if isinstance(answer, Booked | Cancelled | Intercepting):
        return heard(answer.fact, at)
    return ParcelsFound(tuple(heard(f, at) for f in answer.facts)) if isinstance(answer, ParcelsFound) else answer


def _put_verdict(docket: Docket, refund: Refund, pickup: Pickup, act: ParcelAct, verdict: Verdict) -> None:
    if verdict.refusal and act is ParcelAct.BOOK:
        pickup.refusal = verdict.refusal
        docket.record(refund, "pickup.refused", {"number": pickup.number, "reason": verdict.refusal}, SYSTEM)
    elif verdict.refusal in _TOO_LATE:
        docket.end_wish(refund, verdict.refusal, number=pickup.number)
        collected(docket, refund, pickup)
    if act is ParcelAct.BOOK:
        pickup.key_no += verdict.next_key
    if verdict.before:
        take_homeward(docket, refund, pickup, verdict.before)
    if verdict.fact:
        take_homeward(docket, refund, pickup, verdict.fact)
        if act is ParcelAct.CANCEL:
            called_off(docket, refund, pickup)
    for fact in verdict.surplus:
        add_unwanted(docket, refund, pickup, fact)


def _follow_anyway(docket: Docket, shipment: Shipment, verdict: Verdict) -> None:
    """The carrier will not stop it: that is an answer, and where it goes is still to be known."""
    call = calls.answered(verdict.call)._replace(last_error=verdict.refusal)
    put_call(shipment, track_later(call, now=docket.now, timing=TIMING))


def _not_stopped(docket: Docket, refund: Refund, shipment: Shipment, reason: str) -> None:
    """Who was asked not to accept it, waiting for it to come back, is told once that he may."""
    refused_before = docket.refunds_with("intercept.refused")
    is_told = refund.id in refused_before
    refused_before.add(refund.id)
    docket.record(refund, "intercept.refused", {"shipment": shipment.id, "reason": reason}, SYSTEM)
    waits = refund.state == RefundState.AWAITING_RETURN and refund.route == Route.INTERCEPT
    if waits and refund.goods == Goods.RETURN and not refund.cancel_wanted_by and not is_told:
        docket.tell(refund, "not_stopped", policy_of(refund.policy_version_id))


def _row(docket: Docket, refund: Refund, subject: str) -> Pickup | Shipment:
    pickups = {p.number: p for p in docket.pickups[refund.id]}
    return pickups.get(subject) or docket.shipment_numbered(subject)


def number_of(shipment: Shipment) -> str:
    return intercept_number(settings.NUMBER_PREFIX, shipment.id)


def _touch(docket: Docket, row: Pickup | Shipment) -> None:
    if isinstance(row, Pickup):
        docket.changes.pickups[row.id] = row
    else:
        docket.changes.shipments[row.id] = row


def _pickup_order(docket: Docket, refund: Refund, pickup: Pickup) -> PickupOrder:
    order = docket.orders[refund.order_id]
    slot = Slot(pickup.slot_from, pickup.slot_to) if pickup.slot_from and pickup.slot_to else None
    return PickupOrder(
        number=pickup.number,
        idempotency_key=pickup.idempotency_key,
        refund=refund.number,
        address=refund.pickup_address or order.shipping_address,
        return_address=docket.channel_of(order).return_address,
        contact=_contact(order),
        parcels=refund.boxes,
        slot=slot,
        drop_off=pickup.drop_off,
    )


def _contact(order: Order) -> dict[str, str]:
    return {"name": order.customer_name, "phone": order.customer_phone}


def _intercept_order(refund: Refund, shipment: Shipment, number: str) -> InterceptOrder:
    return InterceptOrder(
        number=number,
        idempotency_key=number,
        refund=refund.number,
        tracking_number=shipment.tracking_number,
        carrier=shipment.carrier,
    )
