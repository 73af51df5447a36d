"""Refunds whose goods are on their way back, as the rules see them."""

from datetime import datetime, timedelta

from orders.states import ShipmentState
from refunds.calls import CallState
from refunds.decide import Plan, decide
from refunds.goods import GoodsSeen
from refunds.parcels import ParcelView, PickupView
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt
from refunds.seen import Seen
from refunds.states import Goods, PickupState, Place, RefundState, Route
from tests.unit.refunds.shorthand import CAN_BE_ASKED, FIRST_SENT, movement

POLICY = PolicySpec()
HOUR, DAY = 3600.0, 86400.0
IDLE = CallState()


def at(seconds: float) -> datetime:
    return FIRST_SENT + timedelta(seconds=seconds)


def pickup(state: str = "intended", call: CallState = IDLE, **fields: object) -> PickupView:
    """Asked for at 0, by default the first one."""
    defaults: dict[str, object] = {"number": "RF-1-P1", "can": CAN_BE_ASKED, "created_at": FIRST_SENT}
    return PickupView(state=PickupState(state), call=call, **(defaults | fields))  # type: ignore[arg-type]


def parcel(state: str = "shipped", call: CallState = IDLE, tracking_number: str = "T1") -> ParcelView:
    return ParcelView("RF-S1", ShipmentState(state), call, CAN_BE_ASKED, tracking_number)


def returning(*pickups: PickupView, place: Place = Place.DELIVERED, **fields: object) -> Seen:
    """Approved at 0, to be handed over in 14 days."""
    goods = GoodsSeen(
        wanted=Goods(str(fields.pop("wanted", "return"))),
        units=(UnitsAt("A", place, 1, None if place is Place.UNSHIPPED else 1),),
        pickups=pickups,
        parcels=tuple(fields.pop("parcels", ())),  # type: ignore[arg-type]
        received=bool(fields.pop("received", False)),
    )
    route = {Place.UNSHIPPED: Route.INSTANT, Place.IN_TRANSIT: Route.INTERCEPT, Place.DELIVERED: Route.PICKUP}[place]
    defaults: dict[str, object] = {
        "state": RefundState.AWAITING_RETURN,
        "route": route,
        "amount_minor": 1000,
        "currency": "EUR",
        "created_at": FIRST_SENT,
        "movements": (movement("intended idle"),),
        "acknowledged": True,
        "approved": True,
        "deadline": at(14 * DAY),
    }
    return Seen(goods=goods, **(defaults | fields))  # type: ignore[arg-type]


def plan(seen: Seen, *, now: float = HOUR, policy: PolicySpec = POLICY) -> Plan:
    return decide(seen, policy, now=at(now))


def called(plan: Plan) -> list[str]:
    return [f"{call.act} {call.subject}" for call in plan.parcels]
