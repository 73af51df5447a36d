"""What the goods mean for a refund, pure: which route it is on, when they are back, and which courier's call is due."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from orders.states import ShipmentState
from refunds import calls
from refunds.calls import CallPhase, CallState
from refunds.parcels import (
    COMING,
    HOPELESS,
    UNDER_WAY,
    ParcelAct,
    ParcelCall,
    ParcelView,
    PickupView,
    Wants,
    counting,
    due_at,
    has_goods,
    may_come,
    parcel_act,
    pickup_act,
)
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt, furthest, route
from refunds.states import Goods, PickupState, Route

_BACK_UNOPENED = frozenset({ShipmentState.RETURNED, ShipmentState.LOST})


class GoodsSeen(NamedTuple):
    """The goods of a refund. `pickups` are those since the last approval, oldest first; `received`: the warehouse has
    them; `doubted`: somebody says that the parcel is not what was announced, so nothing is paid for it by itself;
    `noted`: boxes were inspected while others were still to come."""

    wanted: Goods = Goods.RETURN
    units: tuple[UnitsAt, ...] = ()
    pickups: tuple[PickupView, ...] = ()
    parcels: tuple[ParcelView, ...] = ()
    received: bool = False
    doubted: bool = False
    noted: bool = False


def route_now(goods: GoodsSeen, decided: Route) -> Route:
    """Derived anew at each look; when units have moved apart the furthest place decides for the whole."""
    if not goods.units:
        return decided
    place = furthest(units.place for units in goods.units)
    return route(next(units for units in goods.units if units.place is place), goods.wanted)


def returning_verb(goods: GoodsSeen, way: Route, policy: PolicySpec, *, overdue: bool, now: datetime) -> str | None:
    """The arrow out of `awaiting_return`, if one is due; `overdue`: the time to hand the goods over has run out.

    When it is not the customer who is late, a person looks.
    """
    if goods.received or any(p.state is PickupState.RECEIVED for p in goods.pickups):
        return "receive" if goods.doubted or policy.pay_on == "inspection" else "pay_uninspected"
    if way is Route.INTERCEPT:
        late = "return_fails" if overdue else None
        return "pay_uninspected" if _is_all_back(goods) and not goods.doubted else late
    pickup = counting(goods.pickups)
    if pickup and policy.pay_on == "collection" and pickup.collected_at is not None and not goods.doubted:
        return "pay_uninspected"
    if pickup and pickup.state is PickupState.LOST and has_goods(pickup):
        return "return_fails" if goods.doubted else "pay_uninspected"
    if pickup and _has_failed(pickup, goods, policy, now):
        return "return_fails"
    if not overdue:
        return None
    until = _patience_ends(pickup, policy) if pickup else None
    if until is None:
        return "return_fails" if goods.wanted is Goods.ALREADY_SENT else "expire"
    return "return_fails" if until <= now else None


def is_handed_over(goods: GoodsSeen) -> bool:
    """The customer has done his part, be it by his own word."""
    return goods.wanted is Goods.ALREADY_SENT or any(has_goods(p) for p in goods.pickups)


def has_left(goods: GoodsSeen) -> bool:
    """They are here, or were handed over by more than the word of the request."""
    return goods.received or any(has_goods(p) for p in goods.pickups)


def may_arrive(goods: GoodsSeen, policy: PolicySpec, *, now: datetime) -> bool:
    """A courier has them and the time a parcel may be on its way home is not over."""
    pickup = counting(goods.pickups)
    if pickup is None or pickup.state not in UNDER_WAY:
        return False
    until = _patience_ends(pickup, policy)
    return until is not None and now < until


def needs_pickup(goods: GoodsSeen, way: Route, policy: PolicySpec) -> bool:
    """A courier is to fetch the goods and none is under way: none was asked yet, or he called off himself."""
    if way is not Route.PICKUP or goods.wanted is not Goods.RETURN or goods.received:
        return False
    pickup = counting(goods.pickups)
    return pickup is None or (_is_off(pickup) and _times_off(goods) < policy.pickup_attempts)


def rebooked(goods: GoodsSeen, policy: PolicySpec) -> tuple[str, ...]:
    """Pickups that were missed and are to be booked again."""
    pickup = counting(goods.pickups)
    is_missed = pickup and pickup.state is PickupState.MISSED and pickup.call.call is CallPhase.IDLE
    return (pickup.number,) if pickup and is_missed and pickup.missed < policy.pickup_attempts else ()


def no_show(goods: GoodsSeen, policy: PolicySpec, *, now: datetime) -> str:
    """The pickup whose courier should have come long ago, and says himself that he has scanned nothing; one who cannot
    be asked is not waited for. Empty: none."""
    pickup = counting(goods.pickups)
    ends = _visit_ends(pickup, policy) if pickup else None
    if pickup is None or ends is None or ends > now:
        return ""
    return pickup.number if not pickup.can.look_up or calls.has_answered(pickup.call, since=ends) else ""


def calls_due(goods: GoodsSeen, way: Route, wants: Wants, *, now: datetime) -> tuple[ParcelCall, ...]:
    """The couriers' calls that are due. Cancellations come before creations."""
    due = tuple(call for call, at in _calls(goods, way, wants, now) if at <= now)
    return tuple(call for call in due if call.act is ParcelAct.CANCEL) or due


def next_times(goods: GoodsSeen, way: Route, wants: Wants, policy: PolicySpec, *, now: datetime) -> list[datetime]:
    """When couriers are to be called or asked again, or the patience with one ends."""
    times = [at for _, at in _calls(goods, way, wants, now)]
    pickup = counting(goods.pickups)
    if pickup and wants.keep:
        ends = (_patience_ends(pickup, policy), _visit_ends(pickup, policy))
        times += [at for at in ends if at and at > now]
    return times


def assumed_times(goods: GoodsSeen) -> list[datetime]:
    """When parcels on their way out count as delivered, should no carrier say where they went."""
    return [parcel.assumed_at for parcel in goods.parcels if parcel.assumed_at]


def is_called_off(goods: GoodsSeen) -> bool:
    """No courier comes any more, and none may still be coming."""
    return not any(may_come(p) for p in goods.pickups)


def _calls(goods: GoodsSeen, way: Route, wants: Wants, now: datetime) -> Iterator[tuple[ParcelCall, datetime]]:
    """The calls that come next, each with its time. Nobody is booked while another courier may still come."""
    counts = counting(goods.pickups)
    for pickup in goods.pickups:
        act = pickup_act(pickup, wants, counts=pickup is counts)
        others = (p for p in goods.pickups if p is not pickup)
        if act and not (act is ParcelAct.BOOK and any(may_come(p) for p in others)):
            yield _call(act, pickup.number, pickup.call, now)
    for parcel in goods.parcels:
        act = parcel_act(parcel, wants if way is Route.INTERCEPT else Wants())
        if act:
            yield _call(act, parcel.number, parcel.call, now)


def _call(act: ParcelAct, number: str, call: CallState, now: datetime) -> tuple[ParcelCall, datetime]:
    return ParcelCall(act, number), due_at(call, act, now)


def _is_all_back(goods: GoodsSeen) -> bool:
    return bool(goods.parcels) and all(parcel.state in _BACK_UNOPENED for parcel in goods.parcels)


def _is_off(pickup: PickupView) -> bool:
    """The courier will not come by this one: called off, or lost before he had the goods, which the customer still has.
    What the customer has posted himself cannot be booked anew."""
    is_lost = pickup.state is PickupState.LOST and pickup.by_courier and not has_goods(pickup)
    return (pickup.state is PickupState.CANCELLED or is_lost) and pickup.call.call is CallPhase.IDLE


def _times_off(goods: GoodsSeen) -> int:
    off = (PickupState.CANCELLED, PickupState.LOST)
    return sum(p.state in off and not p.unwanted for p in goods.pickups)


def _patience_ends(pickup: PickupView, policy: PolicySpec) -> datetime | None:
    """How long a courier is waited for after the customer's own time is over; None: it is the customer who is late."""
    if has_goods(pickup):
        return (pickup.collected_at or pickup.created_at) + timedelta(seconds=policy.transit_seconds)
    if pickup.drop_off and pickup.state is PickupState.BOOKED and pickup.call.call is CallPhase.IDLE:
        return None
    patience = timedelta(seconds=policy.courier_patience_seconds)
    is_courier_late = pickup.state in (PickupState.INTENDED, PickupState.MISSED) or _is_off(pickup)
    if is_courier_late or may_come(pickup):
        visit = pickup.slot_to if pickup.state in COMING else None
        return max(filter(None, (visit, pickup.fact_at, pickup.created_at))) + patience
    return None


def _visit_ends(pickup: PickupView, policy: PolicySpec) -> datetime | None:
    """When a booked courier will not come any more. With a label nobody was to."""
    if pickup.drop_off:
        return None
    if pickup.state is not PickupState.BOOKED or pickup.call.call is not CallPhase.IDLE or pickup.slot_to is None:
        return None
    return pickup.slot_to + timedelta(seconds=policy.missed_after_seconds)


def _has_failed(pickup: PickupView, goods: GoodsSeen, policy: PolicySpec, now: datetime) -> bool:
    """Nobody will come any more: refused at the door, missed or called off too often, or no courier to be had."""
    if pickup.state is PickupState.REFUSED or (pickup.state is PickupState.LOST and not pickup.by_courier):
        return True
    if pickup.state in (PickupState.MISSED, PickupState.INTENDED) and pickup.missed >= policy.pickup_attempts:
        return True
    if _is_off(pickup):
        return _times_off(goods) >= policy.pickup_attempts
    if pickup.state is not PickupState.INTENDED or pickup.call.call is not CallPhase.IDLE:
        return False
    until = _patience_ends(pickup, policy)
    return pickup.refusal in HOPELESS or (pickup.call.failures > 0 and until is not None and until <= now)
