"""The order state machine routes: where units are decides what happens to a refund of them. Pure.

unshipped -> instant; in transit -> intercept; delivered -> pickup; what need not come back -> refund only.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from orders.states import Fulfilment, ShipmentState
from refunds.states import Goods, Place, Route

ROUTES = {Place.UNSHIPPED: Route.INSTANT, Place.IN_TRANSIT: Route.INTERCEPT, Place.DELIVERED: Route.PICKUP}

#: The parts of one request, the one that may be paid first in front; the furthest ends last, and takes the shipping.
NEAREST_ROUTE_FIRST = (Route.INSTANT, Route.REFUND_ONLY, Route.INTERCEPT, Route.PICKUP)

#: Of a line in several places a request takes the units that are easiest to give back first ...
NEAREST_FIRST = (Place.UNSHIPPED, Place.IN_TRANSIT, Place.DELIVERED)
#: ... unless the fault lies in the goods: then it means the ones the customer has seen.
GOODS_AT_FAULT_FIRST = (Place.DELIVERED, Place.IN_TRANSIT, Place.UNSHIPPED)
GOODS_AT_FAULT = frozenset({"damaged", "defective", "wrong_item", "not_as_described"})

#: What the customer keeps, or never had, does not come back.
STAYS_AWAY = frozenset({Goods.KEEP, Goods.NOT_RECEIVED})

#: A line, and the parcel that its units are in (None: not shipped).
Spot = tuple[str, int | None]

#: No carrier has said where these went.
UNREPORTED = frozenset({ShipmentState.SHIPPED, ShipmentState.INTERCEPTING})


class UnitsAt(NamedTuple):
    """So many units of a line in one place; `shipment_id` is None while unshipped."""

    line_id: str
    place: Place
    quantity: int
    shipment_id: int | None = None
    fulfilment: Fulfilment = Fulfilment.SHIP

    @property
    def spot(self) -> Spot:
        return self.line_id, self.shipment_id


class NotEnoughUnits(Exception):
    """More units of a line are wanted than are free; `left` says how many are."""

    def __init__(self, line_id: str, *, wanted: int, left: int) -> None:
        super().__init__(f"line {line_id}: {wanted} wanted, {left} left")
        self.line_id, self.wanted, self.left = line_id, wanted, left


@dataclass(frozen=True, slots=True)
class Sent:
    """A parcel on its way out. `stopped_at`: when the carrier was last asked to stop it; `heard_at`: when we heard that
    it arrived, be it from the customer alone."""

    state: ShipmentState
    shipped_at: datetime
    stopped_at: datetime | None = None
    heard_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Where parcels are at a moment: one of which no carrier says more counts as delivered once the customer says so,
    else so many seconds after it left, or after the carrier said that he tries to stop it."""

    now: datetime
    delivered_after_seconds: int

    def place_of(self, parcel: Sent) -> Place:
        """With the customer once delivered, or taken to be; else on its way."""
        has_it = parcel.state is ShipmentState.DELIVERED or self.is_assumed(parcel)
        return Place.DELIVERED if has_it else Place.IN_TRANSIT

    def is_assumed(self, parcel: Sent) -> bool:
        """It counts as delivered though nobody said so."""
        at = self.assumed_at(parcel)
        return at is not None and at <= self.now

    def assumed_at(self, parcel: Sent) -> datetime | None:
        """When it counts as delivered, should no carrier say more: by the customer's word at once; None: one has."""
        if parcel.state not in UNREPORTED or parcel.heard_at:
            return parcel.heard_at if parcel.state in UNREPORTED else None
        asked = parcel.stopped_at if parcel.state is ShipmentState.INTERCEPTING else None
        since = max(parcel.shipped_at, asked or parcel.shipped_at)
        return since + timedelta(seconds=self.delivered_after_seconds)


def route(units: UnitsAt, goods: Goods) -> Route:
    """What happens to a refund of units in this place."""
    if units.fulfilment is not Fulfilment.SHIP or (goods in STAYS_AWAY and units.place is not Place.UNSHIPPED):
        return Route.REFUND_ONLY
    return ROUTES[units.place]


def take(
    free: Iterable[UnitsAt], wanted: Mapping[str, int], *, reason_code: str, last: Container[Spot] = ()
) -> tuple[UnitsAt, ...]:
    """The units a request gets out of the free ones, in the order of its reason; those of the spots `last` only where
    the others are not enough. Raises NotEnoughUnits."""
    order = GOODS_AT_FAULT_FIRST if reason_code in GOODS_AT_FAULT else NEAREST_FIRST
    by_line: dict[str, list[UnitsAt]] = {}
    for units in free:
        by_line.setdefault(units.line_id, []).append(units)
    taken: list[UnitsAt] = []
    for line_id, quantity in wanted.items():
        here = sorted(
            by_line.get(line_id, ()), key=lambda u: (u.spot in last, order.index(u.place), u.shipment_id or 0)
        )
        taken += _take_of_line(line_id, here, quantity)
    return tuple(taken)


def _take_of_line(line_id: str, here: Sequence[UnitsAt], quantity: int) -> list[UnitsAt]:
    left = sum(units.quantity for units in here)
    if quantity > left:
        raise NotEnoughUnits(line_id, wanted=quantity, left=left)
    taken = []
    for units in here:
        part = min(units.quantity, quantity)
        quantity -= part
        if part:
            taken.append(units._replace(quantity=part))
    return taken


def furthest(places: Iterable[Place]) -> Place:
    """When units of one refund move apart, the furthest place decides for the whole."""
    return max(places, key=NEAREST_FIRST.index)
