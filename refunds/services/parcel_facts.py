"""What carriers say of parcels, taken into the docket: ordered by the carrier's time, an older word changes nothing."""

from datetime import datetime, timedelta
from typing import Any

from orders.models import Shipment
from orders.roles import SYSTEM
from orders.states import SHIPMENT_ARROWS, ShipmentState, is_news, verb_to
from refunds.calls import CallPhase
from refunds.fetching import pickup_state
from refunds.models import Pickup, Refund
from refunds.numbers import pickup_number
from refunds.parcels import ARRIVED, COMING, HANDED_OVER, UNDER_WAY, ParcelAct
from refunds.services.arrivals import goods_are_here
from refunds.services.couriers import courier_in
from refunds.services.docket import Docket
from refunds.services.holds import stand_still
from refunds.services.rows import policy_of
from refunds.services.wakes import INSURANCE, wake_refunds
from refunds.states import PICKUP_ARROWS, RELEASED_STATES, PickupState, RefundState
from workers.ports import ParcelFact, ParcelStatus

#: What a carrier's word means for a parcel on its way out.
OUTWARD = {
    ParcelStatus.DELIVERED: ShipmentState.DELIVERED,
    ParcelStatus.RETURNING: ShipmentState.RETURNING,
    ParcelStatus.RETURNED: ShipmentState.RETURNED,
    ParcelStatus.LOST: ShipmentState.LOST,
    ParcelStatus.REFUSED: ShipmentState.REFUSED,
}
#: What no carrier says of a parcel home.
ONLY_OUTWARD = frozenset(status for status in OUTWARD if pickup_state(status) is None)


def add_pickup(docket: Docket, refund: Refund, **fields: Any) -> Pickup:
    """A homeward parcel; without more it is one for its courier to fetch."""
    pickups = docket.pickups[refund.id]
    given: dict[str, Any] = {"account": courier_in(docket, refund)} | fields
    number = pickup_number(refund.number, len(pickups) + 1)
    pickup = Pickup(id=docket.new_id(Pickup), refund_id=refund.id, number=number, created_at=docket.now, **given)
    pickups.append(pickup)
    docket.changes.new_pickups.append(pickup)
    return pickup


def take_parcel_webhook(docket: Docket, refund: Refund, fact: ParcelFact) -> None:
    """A courier's webhook: about a pickup by our number or its waybill, or about the parcel on its way out. Where the
    customer sends the goods home under the number they came with, it is about the one it can be about."""
    pickup, shipments = _homeward(docket, refund, fact), _outward(docket, refund, fact)
    for shipment in shipments:
        if pickup is None or _is_on_its_way_out(shipment, fact.status):
            take_outward(docket, refund, shipment, fact)
            pickup = None
    if pickup:
        take_homeward(docket, refund, pickup, fact)


def take_homeward(docket: Docket, refund: Refund, pickup: Pickup, fact: ParcelFact) -> None:
    """A carrier's word about a pickup. An older one, one about an earlier booking, or one that cannot follow what is
    known, changes nothing, but that he had what he has lost."""
    target, is_new = pickup_state(fact.status), fact.waybill != pickup.waybill
    is_old = not is_new and pickup.fact_at is not None and fact.occurred_at < pickup.fact_at
    if target is None or is_old:
        if target in UNDER_WAY and pickup.state == PickupState.LOST and not pickup.collected_at:
            _had_it(docket, refund, pickup, fact)
        return
    if is_new and (pickup.state != PickupState.INTENDED or target is PickupState.CANCELLED):
        if target in COMING:
            _doubt(docket, pickup)
        return
    if is_new or (pickup.state == PickupState.INTENDED and target is PickupState.BOOKED):
        _take_booking(docket, refund, pickup, fact)
    if target is not PickupState.BOOKED:
        _move(docket, refund, pickup, target, fact)


def take_outward(docket: Docket, refund: Refund, shipment: Shipment, fact: ParcelFact) -> None:
    """A carrier's word about the parcel on its way out. Other refunds of the order may have units in it."""
    target = OUTWARD.get(fact.status)
    held = ShipmentState(shipment.state)
    if target is None or not is_news(held, shipment.fact_at, target, fact.occurred_at):
        return
    verb = _verb(SHIPMENT_ARROWS, held, target)
    if verb is None:
        return
    getattr(shipment, verb)()
    shipment.fact_at = fact.occurred_at
    docket.changes.shipments[shipment.id] = shipment
    if target is ShipmentState.DELIVERED:
        _count_delivered(docket, shipment, fact)
    else:
        shipment.delivery_known_at = None
    docket.changes.orders[shipment.order_id] = docket.orders[shipment.order_id]
    let_others_look(docket, refund)
    docket.record(refund, f"shipment.{target}", {"shipment": shipment.id}, SYSTEM)


def rebook(docket: Docket, refund: Refund, number: str) -> None:
    """A missed pickup is to be booked again, under the next key."""
    pickup = next(p for p in docket.pickups[refund.id] if p.number == number)
    pickup.rebook()
    pickup.key_no += 1
    pickup.refusal, pickup.retry_at = "", None
    pickup.slot_from = pickup.slot_to = None
    docket.changes.pickups[pickup.id] = pickup


def count_no_show(docket: Docket, refund: Refund, number: str) -> None:
    """The courier did not come: that visit is called off, and another asked for. The customer's clock stands still from
    then on; while the refund was on hold it stood anyway."""
    pickup = next(p for p in docket.pickups[refund.id] if p.number == number)
    pickup.unwanted, pickup.retry_at = True, None
    docket.changes.pickups[pickup.id] = pickup
    policy = policy_of(refund.policy_version_id)
    noticed = docket.now - timedelta(seconds=policy.missed_after_seconds)
    add_pickup(docket, refund, missed=pickup.missed + 1, fact_at=max(pickup.slot_to or noticed, noticed))
    docket.record(refund, "pickup.no_show", {"number": number, "waybill": pickup.waybill}, SYSTEM)
    docket.tell(refund, "pickup_missed", policy)


def add_unwanted(docket: Docket, refund: Refund, pickup: Pickup, fact: ParcelFact) -> None:
    """A second booking under our number: kept apart, to be called off."""
    if any(p.waybill == fact.waybill for p in docket.pickups[refund.id]):
        return
    booked_as = pickup.booked_as or pickup.number
    twin = add_pickup(docket, refund, account=pickup.account, unwanted=True, booked_as=booked_as)
    twin.book()
    twin.waybill, twin.fact_at = fact.waybill, fact.occurred_at
    docket.record(refund, "pickup.surplus", {"number": twin.number, "waybill": fact.waybill}, SYSTEM)
    take_homeward(docket, refund, twin, fact)


def called_off(docket: Docket, refund: Refund, pickup: Pickup) -> None:
    """The courier has said that nobody comes, whatever else he said of it before."""
    if pickup.state in (PickupState.BOOKED, PickupState.MISSED):
        pickup.cancel()
        docket.record(refund, "pickup.cancelled", {"number": pickup.number, "waybill": pickup.waybill}, SYSTEM)


def collected(docket: Docket, refund: Refund, pickup: Pickup) -> None:
    """The courier has the goods, as he says without a time of his own; to be followed from now on."""
    if pickup.state in (PickupState.BOOKED, PickupState.MISSED):
        pickup.collect()
        pickup.collected_at = docket.now
        pickup.retry_at = None
        docket.record(refund, "pickup.collected", {"number": pickup.number, "waybill": pickup.waybill}, SYSTEM)


def _homeward(docket: Docket, refund: Refund, fact: ParcelFact) -> Pickup | None:
    pickups = docket.pickups[refund.id]
    named = [p for p in pickups if p.waybill == fact.waybill]
    return next(iter(named or [p for p in pickups if fact.number and p.number == fact.number]), None)


def _outward(docket: Docket, refund: Refund, fact: ParcelFact) -> list[Shipment]:
    here = (s for s in docket.shipments.values() if s.order_id == refund.order_id)
    return [s for s in here if s.tracking_number == fact.waybill]


def _is_on_its_way_out(shipment: Shipment, status: ParcelStatus) -> bool:
    return status in ONLY_OUTWARD or (status in OUTWARD and shipment.state not in ARRIVED)


def _take_booking(docket: Docket, refund: Refund, pickup: Pickup, fact: ParcelFact) -> None:
    failed_at = pickup.fact_at if pickup.missed else _called_off_at(docket, refund, pickup)
    pickup.book()
    pickup.waybill, pickup.fact_at, pickup.refusal = fact.waybill, fact.occurred_at, ""
    pickup.label_url = fact.label_url
    if fact.slot:
        pickup.slot_from, pickup.slot_to = fact.slot.starts_at, fact.slot.ends_at
    if failed_at:
        # The customer's clock stood still from the visit that did not happen to the next one.
        stand_still(docket, refund, since=failed_at, until=pickup.slot_from or docket.now)
    docket.changes.pickups[pickup.id] = pickup
    facts = {"number": pickup.number, "waybill": pickup.waybill, "slot_from": _text(pickup.slot_from)}
    docket.record(refund, "pickup.labelled" if pickup.drop_off else "pickup.booked", facts, SYSTEM)
    if _is_expected(refund, pickup):
        docket.tell(refund, "label_ready" if pickup.drop_off else "pickup_booked", policy_of(refund.policy_version_id))


def _doubt(docket: Docket, pickup: Pickup) -> None:
    """A courier speaks of a visit under our number that we do not know, or know no more: he is asked what he has."""
    if pickup.account and pickup.call == CallPhase.IDLE:
        now = docket.now
        pickup.call, pickup.call_kind, pickup.retry_at = CallPhase.UNKNOWN.value, ParcelAct.BOOK.value, now
        pickup.sent_at, pickup.answer_due_at = pickup.sent_at or now, now
        docket.changes.pickups[pickup.id] = pickup


def _called_off_at(docket: Docket, refund: Refund, pickup: Pickup) -> datetime | None:
    """When the courier called off the visit before this one by himself, or lost his order."""
    since = refund.approved_at or refund.created_at
    before = [p for p in docket.pickups[refund.id] if p.id < pickup.id and p.created_at >= since and not p.unwanted]
    off = (PickupState.CANCELLED, PickupState.LOST)
    return before[-1].fact_at if before and before[-1].state in off else None


def _move(docket: Docket, refund: Refund, pickup: Pickup, target: PickupState, fact: ParcelFact) -> None:
    verb = _verb(PICKUP_ARROWS, PickupState(pickup.state), target)
    if verb is None:
        _note_seen(docket, refund, pickup, target, fact)
        return
    getattr(pickup, verb)()
    pickup.fact_at = fact.occurred_at
    if target in HANDED_OVER:
        pickup.collected_at = pickup.collected_at or fact.occurred_at
    docket.changes.pickups[pickup.id] = pickup
    facts = {"number": pickup.number, "waybill": pickup.waybill, "reason": fact.reason}
    docket.record(refund, f"pickup.{target}", facts, SYSTEM)
    if target in HANDED_OVER:
        docket.end_wish(refund, f"already_{target}", number=pickup.number)
    if target is PickupState.RECEIVED:
        goods_are_here(docket, refund, actor=SYSTEM)
    if target is PickupState.LOST and pickup.account and pickup.collected_at:
        _claim_for(docket, refund, pickup)
    if target is PickupState.MISSED:
        pickup.missed += 1
        if _is_expected(refund, pickup):
            docket.tell(refund, "pickup_missed", policy_of(refund.policy_version_id))


def _had_it(docket: Docket, refund: Refund, pickup: Pickup, fact: ParcelFact) -> None:
    """What was told of as lost had been collected before, as is heard only now: the customer has it no more."""
    pickup.collected_at = fact.occurred_at
    docket.changes.pickups[pickup.id] = pickup
    docket.record(refund, "pickup.collected", {"number": pickup.number, "waybill": pickup.waybill}, SYSTEM)
    docket.end_wish(refund, "already_collected", number=pickup.number)
    _claim_for(docket, refund, pickup)


def _claim_for(docket: Docket, refund: Refund, pickup: Pickup) -> None:
    """The courier lost what he had: the shop pays the customer, and the courier owes it to the shop. Nothing leads out
    of lost but that the parcel turns up, so it is told once."""
    worth = {"amount_minor": refund.amount_minor, "currency": refund.currency}
    of = {"number": pickup.number, "waybill": pickup.waybill, "account": pickup.account}
    docket.record(refund, "carrier.claim_due", of | worth, SYSTEM)


def _note_seen(docket: Docket, refund: Refund, pickup: Pickup, target: PickupState, fact: ParcelFact) -> None:
    """What the customer said that he posted, a carrier knows of now, or has."""
    is_first, has_it = pickup.fact_at is None, target in HANDED_OVER and pickup.collected_at is None
    if is_first:
        pickup.fact_at = fact.occurred_at
    if has_it:
        pickup.collected_at = fact.occurred_at
    if is_first or has_it:
        docket.changes.pickups[pickup.id] = pickup
        docket.touch(refund)


def _is_expected(refund: Refund, pickup: Pickup) -> bool:
    """The customer waits for this visit; of one that is to be called off he hears nothing."""
    return refund.state == RefundState.AWAITING_RETURN and not pickup.unwanted and not refund.cancel_wanted_by


def let_others_look(docket: Docket, refund: Refund) -> None:
    """Other refunds of the order may have units in the same parcel, and have paid for them."""
    for other in docket.refunds_of[refund.order_id]:
        if other.id != refund.id and other.state not in RELEASED_STATES:
            docket.set_clock(other, docket.now + INSURANCE)
            wake_refunds([other.id])


def _count_delivered(docket: Docket, shipment: Shipment, fact: ParcelFact) -> None:
    shipment.delivered_at, shipment.delivery_known_at = fact.occurred_at, shipment.delivery_known_at or docket.now
    for units in docket.inside(shipment):
        line = docket.lines[units.order_line_id]
        line.delivered += units.quantity
        docket.changes.lines[line.id] = line


def _verb(arrows: Any, source: str, target: str) -> str | None:
    """The arrow between two states; None when a carrier's word cannot follow what is known."""
    try:
        return verb_to(arrows, source=source, target=target)
    except ValueError:
        return None


def _text(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
