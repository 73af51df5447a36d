"""The goods on their way back: posted by the customer, fetched at another time, received, inspected."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from orders.errors import Invalid
from orders.roles import Actor
from orders.services.lines import LineKey
from refunds.actions import Action
from refunds.calls import CallPhase
from refunds.models import Pickup, Refund, RefundLine
from refunds.parcels import UNDER_WAY
from refunds.services.acts.desk import Target, check, conclude, line_named, open_case, open_for, spread
from refunds.services.arrivals import goods_are_here
from refunds.services.contests import refused
from refunds.services.docket import Docket
from refunds.services.parcel_facts import add_pickup
from refunds.services.parcel_inbox import hear_what_others_heard
from refunds.services.rows import policy_of
from refunds.services.shrinking import shrink
from refunds.states import PickupState, RefundState, Rejection

#: A clock stands still until the courier comes; no courier takes orders further ahead.
LATEST_SLOT = timedelta(days=90)
FINDINGS = ("accepted", "damaged", "wrong_item", "missing")


@dataclass(frozen=True, slots=True)
class Parcel:
    """What a customer posted himself."""

    carrier: str
    tracking_number: str


@dataclass(frozen=True, slots=True)
class Inspected:
    """What was found of one line: so many units of each kind. `path` is for errors."""

    key: LineKey
    accepted: int = 0
    damaged: int = 0
    wrong_item: int = 0
    missing: int = 0
    path: str = "lines[0]"

    @property
    def total(self) -> int:
        return self.accepted + self.damaged + self.wrong_item + self.missing


@transaction.atomic
def ship_back(target: Target, parcel: Parcel, *, actor: Actor) -> Refund:
    """The customer has posted the goods: no courier is wanted any more, and a wish to cancel is dropped. The same
    parcel again changes nothing; another one corrects the first, until a carrier has spoken of that."""
    refund, docket = open_case(Action.SHIP_BACK, target, actor)
    by_customer = [p for p in docket.pickups[refund.id] if not p.account]
    if any((p.carrier, p.waybill) == (parcel.carrier, parcel.tracking_number) for p in by_customer):
        return refund
    check(Action.SHIP_BACK, refund, docket, actor)
    docket.end_wish(refund, "sent_back", actor)
    posted = next((p for p in by_customer if p.state == PickupState.IN_TRANSIT), None)
    event = "pickup.corrected" if posted else "pickup.in_transit"
    posted = _corrected(docket, posted, parcel) if posted else _posted(docket, refund, parcel)
    facts = {"number": posted.number, "carrier": parcel.carrier, "tracking_number": parcel.tracking_number}
    docket.record(refund, event, facts, actor)
    hear_what_others_heard(docket, refund, posted)
    return conclude(docket, refund)


@transaction.atomic
def rebook_pickup(target: Target, *, slot_from: datetime, slot_to: datetime, actor: Actor) -> Refund:
    """Another time (UTC) for the courier: the booked visit is called off and a new one asked for."""
    refund, docket = open_for(Action.REBOOK_PICKUP, target, actor)
    if not docket.now < slot_from < slot_to <= docket.now + LATEST_SLOT:
        detail = f"A slot ends after it begins, lies in the future, and within {LATEST_SLOT.days} days."
        raise Invalid.of("slot", "out_of_range", detail)
    for pickup in docket.pickups[refund.id]:
        _call_off(docket, pickup)
    add_pickup(docket, refund, slot_from=slot_from, slot_to=slot_to)
    docket.record(refund, "pickup.rebooked", {"slot_from": slot_from.isoformat()}, actor)
    return conclude(docket, refund)


@transaction.atomic
def receive(target: Target, *, actor: Actor) -> Refund:
    """The warehouse has the parcel: inspection is next (arrow j), as soon as the return has been approved. One that
    comes for a refund that had ended without it is reviewed (y), or a case where its units or money are taken."""
    refund, docket = open_for(Action.RECEIVE, target, actor)
    if refund.received_at is None:
        docket.record(refund, "refund.goods_received", {}, actor)
    docket.end_wish(refund, "received", actor)
    goods_are_here(docket, refund, actor=actor)
    for pickup in docket.pickups[refund.id]:
        _bring(docket, pickup)
    if refund.state == RefundState.AWAITING_RETURN:
        docket.follow(refund, "receive", actor=actor)
        refund.deadline = None
    return conclude(docket, refund)


@transaction.atomic
def inspect(target: Target, lines: Sequence[Inspected], *, actor: Actor) -> Refund:
    """What was found, for every unit announced. Accepted units are paid (arrow n), with none accepted nothing is (o);
    the rest is free again. Raises Invalid when the units do not add up."""
    refund, docket = open_for(Action.INSPECT, target, actor)
    kept = _found(docket, refund, lines)
    before = refund.amount_minor
    refund.deadline, refund.inspected_at = None, docket.now
    docket.decide_anew(refund)
    if any(row.quantity != kept[row.id] for row in docket.units[refund.id]):
        refused(docket, refund, by=actor)
    if not any(kept.values()):
        refund.rejection_code = Rejection.NOTHING_ACCEPTED.value
        docket.follow(refund, "refuse_goods", actor=actor)
        docket.tell(refund, "rejected", policy_of(refund.policy_version_id))
        return conclude(docket, refund)
    if any(row.quantity != kept[row.id] for row in docket.units[refund.id]):
        shrink(docket, refund, kept)
    docket.follow(refund, "accept_goods", actor=actor, data={"amount_minor": refund.amount_minor})
    if refund.amount_minor != before:
        docket.tell(refund, "parcel_checked", policy_of(refund.policy_version_id))
    return conclude(docket, refund)


def _posted(docket: Docket, refund: Refund, parcel: Parcel) -> Pickup:
    """`fact_at` and `collected_at` stay open until a carrier has spoken of it, and has had it."""
    for pickup in docket.pickups[refund.id]:
        _call_off(docket, pickup)
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


def _found(docket: Docket, refund: Refund, lines: Sequence[Inspected]) -> dict[int, int]:
    """Note the findings on the rows; how many units of each row are accepted."""
    kept: dict[int, int] = {}
    for found in lines:
        rows = line_named(docket, refund, found.key, found.path)
        announced = sum(row.quantity for row in rows)
        if found.total != announced or rows[0].id in kept:
            detail = f"{announced} of {found.key} were announced, {found.total} are accounted for."
            raise Invalid.of(found.path, "units_do_not_add_up", detail)
        _note(docket, rows, found)
        kept |= spread(rows, found.accepted)
    silent = [row for row in docket.units[refund.id] if row.quantity and row.id not in kept]
    if silent:
        line = docket.lines[silent[0].order_line_id].line_id
        raise Invalid.of("lines", "line_not_inspected", f"Say what was found of every line; {line} is missing.")
    return {row.id: kept.get(row.id, 0) for row in docket.units[refund.id]}


def _note(docket: Docket, rows: Sequence[RefundLine], found: Inspected) -> None:
    """The counts of a line, on its first row: units of one line are not told apart."""
    for name in FINDINGS:
        setattr(rows[0], name, getattr(found, name))
    docket.changes.units[rows[0].id] = rows[0]


def _call_off(docket: Docket, pickup: Pickup) -> None:
    """Not wanted any more: one that nobody was asked for ends here, any other is called off by the engine."""
    if pickup.state not in (PickupState.INTENDED, PickupState.MISSED, PickupState.BOOKED):
        return
    if pickup.call == CallPhase.IDLE and pickup.state in (PickupState.INTENDED, PickupState.MISSED):
        pickup.cancel()
    pickup.unwanted = True
    pickup.retry_at = None if pickup.call == CallPhase.IDLE else pickup.retry_at
    docket.changes.pickups[pickup.id] = pickup
