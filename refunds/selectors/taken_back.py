"""What the policy takes back of an order: since when the window of each parcel runs, and what of it is refused."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from orders.models import OrderLine, Shipment
from orders.states import Fulfilment, ShipmentState
from refunds.policy import PolicySpec
from refunds.returnable import LineFacts, Refusal, window_since
from refunds.routing import Sent, UnitsAt, route
from refunds.states import Goods, Place, Route
from refunds.terms import excuses

#: A parcel that does not arrive ends no window.
_NEVER_ARRIVES = (ShipmentState.RETURNED, ShipmentState.RETURNING, ShipmentState.LOST, ShipmentState.REFUSED)


@dataclass(frozen=True, slots=True)
class Parcels:
    """When each parcel of an order arrived (None: not yet), by shipment id, as the policy reads it at the moment `now`;
    `all_sent`: nothing is left to send."""

    policy: PolicySpec
    now: datetime
    arrived: Mapping[int, datetime | None]
    all_sent: bool = True


def parcels_of(shipments: Iterable[Shipment], lines: Iterable[OrderLine], policy: PolicySpec, now: datetime) -> Parcels:
    under_way = [s for s in shipments if ShipmentState(s.state) not in _NEVER_ARRIVES]
    arrived = {shipment.pk: _arrived_at(shipment, policy, now) for shipment in under_way}
    ships = (line for line in lines if line.fulfilment == Fulfilment.SHIP)
    return Parcels(policy, now, arrived, all(line.shipped + line.withheld >= line.quantity for line in ships))


def refusal_of(units: UnitsAt, line: OrderLine, parcels: Parcels, *, by_customer: bool) -> Refusal | None:
    """Why the policy does not take these units back; `by_customer`: for a reason that is nobody's fault."""
    facts = LineFacts(line.sku, line.fulfilment, line.labels, has_left=units.place is not Place.UNSHIPPED)
    takes_back = parcels.policy.takes_back
    return takes_back.refusal(facts, _since(units, parcels), by_customer=by_customer, now=parcels.now)


def excuses_of(units: UnitsAt, line: OrderLine, parcels: Parcels) -> tuple[str, ...]:
    """The reasons for which these units are taken back although they are not for the customer's own; that the goods
    never came is as good as any of them, where they have left."""
    if refusal_of(units, line, parcels, by_customer=False):
        return ()
    return excuses(parcels.policy, route(units, Goods.RETURN))


@dataclass(frozen=True, slots=True)
class Barred:
    """Free units of a line that nobody gets without a reason, and why; `reasons`: those for which they are taken back
    all the same, none: for none; `until`: how long for these."""

    why: Refusal
    reasons: tuple[str, ...]
    units: tuple[UnitsAt, ...]
    until: datetime | None

    @property
    def unless_faulty(self) -> bool:
        return bool(self.reasons) and has_arrived(self.units[0])


def barred_of(free: Iterable[UnitsAt], line: OrderLine, parcels: Parcels) -> tuple[Barred, ...]:
    """What is barred of the free units of a line, by the cause and by what helps."""
    groups: dict[tuple[str, tuple[str, ...], bool], list[tuple[UnitsAt, Refusal]]] = {}
    for units in free:
        if why := refusal_of(units, line, parcels, by_customer=True):
            key = (why.code, excuses_of(units, line, parcels), has_arrived(units))
            groups.setdefault(key, []).append((units, why))
    return tuple(_barred(reasons, found, parcels) for (_, reasons, _), found in groups.items())


def _barred(reasons: tuple[str, ...], found: Sequence[tuple[UnitsAt, Refusal]], parcels: Parcels) -> Barred:
    """The last of several windows is told."""
    units = tuple(units for units, _ in found)
    why = max((why for _, why in found), key=lambda why: (why.until is not None, why.until))
    return Barred(why, reasons, units, window_ends(units, parcels, by_customer=False) if reasons else None)


def barred_detail(line_id: str, why: Refusal, *, unless_faulty: bool) -> str:
    """The refusal in words; that what is faulty is taken back is said only where it is."""
    what = f"Line {line_id} could be given back until {why.until:%Y-%m-%dT%H:%M:%SZ}." if why.until else ""
    what = what or f"Line {line_id} is not taken back by the rule: {why.rule}."
    return f"{what} What is faulty is taken back all the same." if unless_faulty else what


def has_arrived(units: UnitsAt) -> bool:
    """He may say how it arrived, or that it did not: it is no longer the shop that has it."""
    return route(units, Goods.RETURN) is not Route.INSTANT


def window_ends(units: Sequence[UnitsAt], parcels: Parcels, *, by_customer: bool = True) -> datetime | None:
    """Until when the last of these units can be given back, for a change of mind or (`by_customer` False) for what is
    somebody else's fault; None: without an end, or it has not begun for some."""
    window = parcels.policy.takes_back.window
    ends = [window.until(_since(u, parcels), by_customer=by_customer) for u in units]
    return None if not ends or None in ends else max(end for end in ends if end is not None)


def _since(units: UnitsAt, parcels: Parcels) -> datetime | None:
    own = parcels.arrived.get(units.shipment_id) if units.shipment_id else None
    others = [*parcels.arrived.values(), *([] if parcels.all_sent else [None])]
    return window_since(own, others, parcels.policy.window_from)


def _arrived_at(shipment: Shipment, policy: PolicySpec, now: datetime) -> datetime | None:
    if shipment.state == ShipmentState.DELIVERED:
        return shipment.delivered_at or shipment.delivery_known_at
    sent = Sent(ShipmentState(shipment.state), shipment.shipped_at, shipment.sent_at, shipment.delivery_known_at)
    reading = policy.reading(now)
    return reading.assumed_at(sent) if reading.is_assumed(sent) else None
