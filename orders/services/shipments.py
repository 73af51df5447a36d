"""Outward parcels: what the shop hands to the carrier, and which held units the carrier took all the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from orders import clock
from orders.errors import Conflict, FieldError
from orders.models import OrderLine, Shipment, ShipmentLine
from orders.roles import Actor, Role
from orders.services.carrier import take_fact
from orders.services.facts import refuse, refuse_ahead, require_role
from orders.services.held import HeldOrder, hold_order, order_id_of, save_projection
from orders.services.lines import LineKey, named_lines
from orders.services.withheld import holders, let_go
from orders.states import Fulfilment, ShipmentState
from refunds.models import Refund, RefundLine
from refunds.records import update
from refunds.services.rows import line_units

COUNTERS = ("shipped", "withheld", "refunded_unshipped")
SHIP_ROLES = (Role.SHOP, Role.WAREHOUSE, Role.SYSTEM)


@dataclass(frozen=True, slots=True)
class Units:
    """So many units of the line with this id or sku."""

    key: LineKey
    quantity: int


@dataclass(frozen=True, slots=True)
class ShipmentFacts:
    """`lines` None: all that can still be shipped. `left`: the carrier has it, whatever is held."""

    order_number: str
    lines: Sequence[Units] | None
    carrier: str = ""
    tracking_number: str = ""
    reference: str | None = None
    left: bool = False
    shipped_at: datetime | None = None
    delivered_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Shipped:
    """`created` is False when the shop's reference was known: nothing has changed then."""

    shipment: Shipment
    order_number: str
    created: bool


def add_shipment(facts: ShipmentFacts, *, channel_id: int, actor: Actor) -> Shipped:
    """Record a parcel. Runs in the caller's transaction."""
    require_role(actor, SHIP_ROLES, "ship")
    now = clock.now()
    refuse_ahead(now, {"shipped_at": facts.shipped_at, "delivered_at": facts.delivered_at})
    held = hold_order(order_id_of(channel_id=channel_id, number=facts.order_number))
    if known := _known(held, facts.reference):
        return Shipped(known, facts.order_number, created=False)
    units = _units(held, facts)
    _refuse_held(units, left=facts.left)
    shipment = _insert(held, facts, units, now=now)
    for line, quantity in units:
        _count(line, quantity, shipment)
    update(OrderLine, COUNTERS, [line for line, _ in units])
    if facts.delivered_at:
        take_fact(held, shipment, ShipmentState.DELIVERED, at=facts.delivered_at, now=now)
    save_projection(held, now)
    return Shipped(shipment, facts.order_number, created=True)


def add_unscanned(refund: Refund) -> Shipment:
    """A parcel of exactly the units that the refund keeps from being shipped: they left all the same, nobody knows how.
    Runs in the caller's transaction."""
    now = clock.now()
    held = hold_order(refund.order_id)
    kept = RefundLine.objects.filter(refund=refund, shipment=None, quantity__gt=0).order_by("pk")
    lines = {line.pk: line for line in held.lines}
    units = [(lines[one.order_line_id], one.quantity) for one in kept]
    shipment = _insert(held, ShipmentFacts(held.order.number, None, left=True), units, now=now)
    for line, quantity in units:
        let_go(line, quantity, shipment, of=refund)
        line.shipped += quantity
    update(OrderLine, COUNTERS, [line for line, _ in units])
    save_projection(held, now)
    return shipment


def _known(held: HeldOrder, reference: str | None) -> Shipment | None:
    return reference and Shipment.objects.filter(order=held.order, reference=reference).first() or None


def _units(held: HeldOrder, facts: ShipmentFacts) -> list[tuple[OrderLine, int]]:
    if facts.lines is not None:
        return _named_units(held, facts.lines)
    units = [(line, line_units(line).shippable) for line in held.lines if line_units(line).shippable > 0]
    if not units:
        raise _nothing_to_ship(held)
    return units


def _named_units(held: HeldOrder, wanted: Sequence[Units]) -> list[tuple[OrderLine, int]]:
    paths = [f"lines[{i}]" for i in range(len(wanted))]
    lines = named_lines(held.lines, [units.key for units in wanted], paths=paths)
    first = {line.pk: i for i, line in reversed(list(enumerate(lines)))}
    refuse(
        FieldError(paths[i], "repeated", f"line {line.line_id} is named twice: add its quantities up")
        for i, line in enumerate(lines)
        if first[line.pk] != i
    )
    return [(line, units.quantity) for line, units in zip(lines, wanted, strict=True)]


def _nothing_to_ship(held: HeldOrder) -> Conflict:
    """Whole orders are shipped without naming lines: then, too, the refunds that keep them are named."""
    keeping = holders(held.lines)
    if not keeping:
        return Conflict("not_shippable", "Nothing of this order is left to ship.")
    detail = f"Nothing can be shipped{_kept(keeping)}. What has left all the same: name its lines, with left: true."
    return Conflict("unit_held", detail, errors=(FieldError("", "unit_held", detail),), shippable=0, held=keeping)


def _refuse_held(units: list[tuple[OrderLine, int]], *, left: bool) -> None:
    for line, quantity in units:
        shippable = line_units(line).shippable
        withheld = line.withheld if line.fulfilment == Fulfilment.SHIP else 0
        if quantity > shippable + (withheld if left else 0):
            raise _refusal(line, quantity, shippable=shippable, withheld=withheld)


def _refusal(line: OrderLine, quantity: int, *, shippable: int, withheld: int) -> Conflict:
    keeping = holders([line])
    code = "unit_held" if quantity <= shippable + withheld else "not_shippable"
    detail = f"Line {line.line_id}: {quantity} cannot be shipped. Of {line.quantity}, {line.shipped} shipped"
    detail += f"{_kept(keeping)}; {shippable} can still be shipped."
    return Conflict(code, detail, errors=(FieldError("lines", code, detail),), shippable=shippable, held=keeping)


def _kept(keeping: Sequence[dict[str, Any]]) -> str:
    return "".join(f", {one['quantity']} held by {one['refund']}" for one in keeping)


def _insert(held: HeldOrder, facts: ShipmentFacts, units: list[tuple[OrderLine, int]], *, now: datetime) -> Shipment:
    shipped_at = facts.shipped_at or min(now, facts.delivered_at or now)
    shipment = Shipment.objects.create(
        order=held.order,
        reference=facts.reference,
        carrier=facts.carrier,
        tracking_number=facts.tracking_number,
        left=facts.left,
        shipped_at=shipped_at,
        fact_at=shipped_at,
        created_at=now,
    )
    ShipmentLine.objects.bulk_create(
        ShipmentLine(shipment=shipment, order_line=line, quantity=quantity) for line, quantity in units
    )
    return shipment


def _count(line: OrderLine, quantity: int, shipment: Shipment) -> None:
    """Shippable units go first; the rest are withheld ones that the carrier took all the same."""
    let_go(line, max(0, quantity - line_units(line).shippable), shipment)
    line.shipped += quantity
