"""The goods on their way back: posted by the customer, fetched at another time, received, inspected."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from orders.errors import Conflict, Invalid
from orders.roles import Actor
from refunds.actions import Action
from refunds.calls import CallPhase
from refunds.incidents import DOUBTS
from refunds.models import Pickup, Refund
from refunds.parcels import UNDER_WAY
from refunds.services.acts.desk import Target, check, conclude, open_case, open_for
from refunds.services.arrivals import goods_are_here
from refunds.services.docket import Docket
from refunds.services.parcel_facts import add_pickup
from refunds.services.parcel_inbox import hear_what_others_heard
from refunds.services.rows import policy_of
from refunds.states import PickupState, RefundState, WayBack

#: A clock stands still until the courier comes; no courier takes orders further ahead.
LATEST_SLOT = timedelta(days=90)
#: A visit, from when he may come to when he has.
LONGEST_SLOT = timedelta(days=2)
#: He has been asked to come, or comes.
_COMES = frozenset({PickupState.INTENDED, PickupState.BOOKED})


@dataclass(frozen=True, slots=True)
class Parcel:
    """What a customer posted himself; `further`: one more, beside what he has posted before."""

    carrier: str
    tracking_number: str
    further: bool = False


@transaction.atomic
def ship_back(target: Target, parcel: Parcel, *, actor: Actor) -> Refund:
    """The customer has posted the goods: no courier is wanted any more, and a wish to cancel is dropped. The same
    parcel again changes nothing; another one is a further box, or corrects the last, until a carrier has spoken of it.
    """
    refund, docket = open_case(Action.SHIP_BACK, target, actor)
    by_customer = [p for p in docket.pickups[refund.id] if not p.account]
    if any((p.carrier, p.waybill) == (parcel.carrier, parcel.tracking_number) for p in by_customer):
        return refund
    is_further = parcel.further and by_customer and refund.state == RefundState.AWAITING_RETURN
    if not is_further:
        check(Action.SHIP_BACK, refund, docket, actor)
    docket.end_wish(refund, "sent_back", actor)
    in_transit = [p for p in by_customer if p.state == PickupState.IN_TRANSIT]
    posted = in_transit[-1] if in_transit and not is_further else None
    event = "pickup.corrected" if posted else "pickup.in_transit"
    posted = _corrected(docket, posted, parcel) if posted else _posted(docket, refund, parcel)
    facts = {"number": posted.number, "carrier": parcel.carrier, "tracking_number": parcel.tracking_number}
    docket.record(refund, event, facts, actor)
    hear_what_others_heard(docket, refund, posted)
    return conclude(docket, refund)


@transaction.atomic
def rebook_pickup(target: Target, *, slot_from: datetime, slot_to: datetime, actor: Actor) -> Refund:
    """Another time (UTC) for the courier: the booked visit is called off and a new one asked for. The time that he
    comes, or is asked to come, changes nothing."""
    refund, docket = open_for(Action.REBOOK_PICKUP, target, actor)
    if not docket.now < slot_from < slot_to <= docket.now + LATEST_SLOT or slot_to - slot_from > LONGEST_SLOT:
        within = f"{LONGEST_SLOT.days} days later at the latest, and within {LATEST_SLOT.days} days from now"
        raise Invalid.of("slot", "out_of_range", f"A slot lies in the future and ends after it begins, {within}.")
    if _comes_then(docket, refund, slot_from, slot_to):
        return refund
    _call_all_off(docket, refund)
    _goes_home(docket, refund, WayBack.PICKUP)
    add_pickup(docket, refund, slot_from=slot_from, slot_to=slot_to)
    docket.record(refund, "pickup.rebooked", {"slot_from": slot_from.isoformat()}, actor)
    return conclude(docket, refund)


def _comes_then(docket: Docket, refund: Refund, slot_from: datetime, slot_to: datetime) -> bool:
    wanted = [p for p in docket.pickups[refund.id] if not p.unwanted and PickupState(p.state) in _COMES]
    return bool(wanted) and (wanted[-1].slot_from, wanted[-1].slot_to) == (slot_from, slot_to)


@transaction.atomic
def drop_off(target: Target, *, actor: Actor) -> Refund:
    """The customer would rather hand the goods in: no courier is to come, he gets a label, and has the same time."""
    refund, docket = open_for(Action.DROP_OFF, target, actor)
    _call_all_off(docket, refund)
    _goes_home(docket, refund, WayBack.DROP_OFF)
    add_pickup(docket, refund, drop_off=True)
    docket.record(refund, "refund.drop_off_chosen", {}, actor)
    return conclude(docket, refund)


@transaction.atomic
def receive(target: Target, *, waybill: str = "", actor: Actor) -> Refund:
    """The warehouse has the parcel: inspection is next (arrow j), as soon as the return has been approved. One that
    comes for a refund that had ended without it is reviewed (y), or a case where its units or money are taken.
    `waybill`: of several boxes it is this one."""
    refund, docket = open_for(Action.RECEIVE, target, actor)
    bring_home(docket, refund, waybill=waybill, actor=actor)
    return conclude(docket, refund)


@transaction.atomic
def doubt_parcel(target: Target, *, what: str, note: str, actor: Actor) -> Refund:
    """The parcel is not what was announced (`refunds.incidents.DOUBTS`): a case, and until that is closed, or somebody
    has inspected the goods, nothing is paid for them by itself. The customer is told once. Raises what `desk.open_for`
    raises, and Conflict where the same was said before."""
    refund, docket = open_for(Action.DOUBT_PARCEL, target, actor)
    doubts = docket.incidents[refund.id].keys() & DOUBTS
    if what in doubts:
        raise Conflict("doubted_already", "Somebody has said so already: the incident is open.")
    docket.open_incident(refund, what, {"number": refund.number, "note": note})
    docket.record(refund, "refund.parcel_doubted", {"what": what}, actor)
    if not doubts:
        docket.tell(refund, "parcel_doubted", policy_of(refund.policy_version_id))
    return conclude(docket, refund)


def bring_home(docket: Docket, refund: Refund, *, waybill: str = "", actor: Actor) -> None:
    """The goods are here, whoever found out."""
    if refund.received_at is None:
        docket.record(refund, "refund.goods_received", {}, actor)
    docket.end_wish(refund, "received", actor)
    goods_are_here(docket, refund, actor=actor)
    pickups = docket.pickups[refund.id]
    for pickup in [p for p in pickups if waybill and p.waybill == waybill] or pickups:
        _bring(docket, pickup)
    is_looked_at = policy_of(refund.policy_version_id).pay_on == "inspection"
    if refund.state == RefundState.AWAITING_RETURN and is_looked_at:
        docket.follow(refund, "receive", actor=actor)
        refund.deadline = None


def bring_box(docket: Docket, refund: Refund, waybill: str, *, actor: Actor) -> bool:
    """A further box of a refund that has been received: told once. False: it is here already."""
    named = [p for p in docket.pickups[refund.id] if p.waybill == waybill]
    coming = [p for p in named if p.state in UNDER_WAY]
    is_known = refund.events.filter(kind="refund.box_received", data__tracking_number=waybill).exists()
    if is_known or (named and not coming):
        return False
    for pickup in coming:
        _bring(docket, pickup)
    docket.record(refund, "refund.box_received", {"tracking_number": waybill}, actor)
    return True


def _posted(docket: Docket, refund: Refund, parcel: Parcel) -> Pickup:
    """`fact_at` and `collected_at` stay open until a carrier has spoken of it, and has had it."""
    _call_all_off(docket, refund)
    posted = add_pickup(docket, refund, account="", carrier=parcel.carrier, waybill=parcel.tracking_number)
    posted.move_on()
    return posted


def _corrected(docket: Docket, posted: Pickup, parcel: Parcel) -> Pickup:
    posted.carrier, posted.waybill = parcel.carrier, parcel.tracking_number
    docket.changes.pickups[posted.id] = posted
    return posted


def _bring(docket: Docket, pickup: Pickup) -> None:
    """A parcel that was on its way is the one that came, and so is a visit whose time has come; a later one is not."""
    has_come = pickup.state == PickupState.BOOKED and not (pickup.slot_from and pickup.slot_from > docket.now)
    if has_come or pickup.state in UNDER_WAY:
        pickup.receive()
        docket.changes.pickups[pickup.id] = pickup


def _goes_home(docket: Docket, refund: Refund, way: WayBack) -> None:
    if refund.way_back != way:
        refund.way_back = way.value
        docket.decide_anew(refund)


def _call_all_off(docket: Docket, refund: Refund) -> None:
    for pickup in docket.pickups[refund.id]:
        _call_off(docket, pickup)


def _call_off(docket: Docket, pickup: Pickup) -> None:
    """Not wanted any more: one that nobody was asked for ends here, any other is called off by the engine."""
    if pickup.state not in (PickupState.INTENDED, PickupState.MISSED, PickupState.BOOKED):
        return
    if pickup.call == CallPhase.IDLE and pickup.state in (PickupState.INTENDED, PickupState.MISSED):
        pickup.cancel()
    pickup.unwanted = True
    pickup.retry_at = None if pickup.call == CallPhase.IDLE else pickup.retry_at
    docket.changes.pickups[pickup.id] = pickup
