"""What the goods mean for a refund, pure: which route it is on, when they are back, and which courier's call is due."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from orders.states import ShipmentState
from refunds.calls import CallPhase
from refunds.parcels import (
    HANDED_OVER,
    HOPELESS,
    LIVE,
    ParcelAct,
    ParcelCall,
    ParcelView,
    PickupView,
    intercept_call,
    newest,
    next_time,
    pickup_calls,
)
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt, furthest, route
from refunds.states import Goods, PickupState, Route

_BACK_UNOPENED = frozenset({ShipmentState.RETURNED, ShipmentState.LOST})


@dataclass(frozen=True, slots=True)
class GoodsSeen:
    """The goods of a refund. `pickups` are those since the last approval, oldest first; `received`: the warehouse has
    them."""

    wanted: Goods = Goods.RETURN
    units: tuple[UnitsAt, ...] = ()
    pickups: tuple[PickupView, ...] = ()
    parcels: tuple[ParcelView, ...] = ()
    received: bool = False


def route_now(goods: GoodsSeen, decided: Route) -> Route:
    """Derived anew at each look; when units have moved apart the furthest place decides for the whole."""
    if not goods.units:
        return decided
    place = furthest(units.place for units in goods.units)
    return route(next(units for units in goods.units if units.place is place), goods.wanted)


def returning_verb(goods: GoodsSeen, way: Route, policy: PolicySpec, *, overdue: bool, now: datetime) -> str | None:
    """The arrow out of `awaiting_return`, if one is due; `overdue`: the customer's time to hand over has run out."""
    if goods.received or any(p.state is PickupState.RECEIVED for p in goods.pickups):
        return "receive"
    if way is Route.INTERCEPT:
        return "pay_uninspected" if _is_all_back(goods) else None
    pickup = newest(goods.pickups)
    if pickup and pickup.state is PickupState.LOST:
        return "pay_uninspected" if pickup.collected_at else "return_fails"
    if pickup and _has_failed(pickup, policy, now):
        return "return_fails"
    return "expire" if overdue and not is_handed_over(goods) and not _has_courier(goods) else None


def is_handed_over(goods: GoodsSeen) -> bool:
    """The customer has done his part."""
    return any(p.state in HANDED_OVER for p in goods.pickups)


def needs_pickup(goods: GoodsSeen, way: Route) -> bool:
    """A courier is to fetch the goods, and none is under way yet."""
    return way is Route.PICKUP and goods.wanted is Goods.RETURN and newest(goods.pickups) is None


def rebooked(goods: GoodsSeen, policy: PolicySpec) -> tuple[str, ...]:
    """Pickups that were missed and are to be booked again."""
    pickup = newest(goods.pickups)
    is_missed = pickup and pickup.state is PickupState.MISSED and pickup.call.call is CallPhase.IDLE
    return (pickup.number,) if pickup and is_missed and pickup.missed < policy.pickup_attempts else ()


def calls_due(goods: GoodsSeen, way: Route, *, fetching: bool, now: datetime) -> tuple[ParcelCall, ...]:
    """The couriers' calls that are due. `fetching`: the goods are wanted back. Cancellations come before creations."""
    due = list(_pickup_calls(goods, fetching, now))
    if fetching and way is Route.INTERCEPT:
        due += [c for p in goods.parcels if (c := intercept_call(p, wanted=True, now=now))]
    off = tuple(c for c in due if c.act is ParcelAct.CANCEL)
    return off or tuple(due)


def next_times(goods: GoodsSeen, *, fetching: bool, now: datetime) -> list[datetime]:
    """When couriers are to be called or asked again."""
    times = [next_time(p.call, now) for p in goods.parcels if p.call.call is not CallPhase.IDLE or fetching]
    for pickup in goods.pickups:
        if pickup.by_courier and (pickup.state in LIVE or pickup.call.call is not CallPhase.IDLE):
            is_to_be_booked = fetching and pickup.state is PickupState.INTENDED
            times.append(next_time(pickup.call, now) or (now if is_to_be_booked else None))
    return [t for t in times if t]


def is_called_off(goods: GoodsSeen) -> bool:
    """No courier comes any more, and none may still be coming."""
    return not any(p.state in LIVE or p.call.call is not CallPhase.IDLE for p in goods.pickups if p.by_courier)


def _pickup_calls(goods: GoodsSeen, fetching: bool, now: datetime) -> Iterator[ParcelCall]:
    for pickup in goods.pickups:
        due = pickup_calls(pickup, wanted=fetching and not pickup.unwanted, now=now)
        if due:
            yield due


def _is_all_back(goods: GoodsSeen) -> bool:
    return bool(goods.parcels) and all(parcel.state in _BACK_UNOPENED for parcel in goods.parcels)


def _has_courier(goods: GoodsSeen) -> bool:
    return any(
        p.state is PickupState.BOOKED or p.call.call is not CallPhase.IDLE for p in goods.pickups if p.by_courier
    )


def _has_failed(pickup: PickupView, policy: PolicySpec, now: datetime) -> bool:
    """Nobody will come any more: refused at the door, missed too often, or no courier to be had."""
    if pickup.state is PickupState.REFUSED:
        return True
    if pickup.state is PickupState.MISSED:
        return pickup.missed >= policy.pickup_attempts
    waited = (now - pickup.created_at).total_seconds() > policy.courier_patience_seconds
    is_not_booked = pickup.state is PickupState.INTENDED and pickup.call.call is CallPhase.IDLE
    return is_not_booked and (waited or pickup.refusal in HOPELESS)
