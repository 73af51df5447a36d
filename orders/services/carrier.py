"""What the carrier says of a parcel, ordered by the carrier's time: an older word never undoes a newer one."""

from dataclasses import dataclass
from datetime import datetime

from orders import clock
from orders.errors import Conflict, NotFound
from orders.models import OrderLine, Shipment
from orders.roles import Actor, Role
from orders.services.facts import refuse_ahead, require_role
from orders.services.held import HeldOrder, hold_order, order_id_of, save_projection
from orders.states import SHIPMENT_ARROWS, ShipmentState, is_news, verb_to
from refunds.records import update

CARRIER_ROLES = (Role.SHOP, Role.WAREHOUSE, Role.SYSTEM)


@dataclass(frozen=True, slots=True)
class CarrierFact:
    """`occurred_at` by the carrier's clock; None: just now."""

    order_number: str
    shipment_id: int
    state: ShipmentState
    occurred_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reported:
    """`applied` is False for a repeated fact and for one older than what is known."""

    shipment: Shipment
    order_id: int
    applied: bool


def report_fact(fact: CarrierFact, *, channel_id: int, actor: Actor) -> Reported:
    """Record a carrier's fact. Runs in the caller's transaction."""
    require_role(actor, CARRIER_ROLES, "report on parcels")
    now = clock.now()
    refuse_ahead(now, {"occurred_at": fact.occurred_at})
    held = hold_order(order_id_of(channel_id=channel_id, number=fact.order_number))
    shipment = Shipment.objects.filter(order=held.order, pk=fact.shipment_id).first()
    if shipment is None:
        raise NotFound("not_found", f"This order has no shipment {fact.shipment_id}.")
    applied = take_fact(held, shipment, fact.state, at=fact.occurred_at or now, now=now)
    if applied:
        save_projection(held, now)
    return Reported(shipment, held.order.pk, applied=applied)


def take_fact(held: HeldOrder, shipment: Shipment, state: ShipmentState, *, at: datetime, now: datetime) -> bool:
    """Move the parcel, and with it the count of what was delivered; False when the word changes nothing. `at` is the
    carrier's time, `now` ours."""
    if not is_news(ShipmentState(shipment.state), shipment.fact_at, state, at):
        return False
    try:
        verb = verb_to(SHIPMENT_ARROWS, source=shipment.state, target=state)
    except ValueError:
        detail = f"The parcel is {shipment.state}: it cannot be {state} after that."
        raise Conflict("wrong_parcel_state", detail, state=shipment.state) from None
    getattr(shipment, verb or "")()
    shipment.fact_at = at
    if state is ShipmentState.DELIVERED:
        shipment.delivered_at, shipment.delivery_known_at = at, shipment.delivery_known_at or now
        _count_delivered(held, shipment)
    else:
        shipment.delivery_known_at = None
    shipment.save()
    return True


def _count_delivered(held: HeldOrder, shipment: Shipment) -> None:
    lines = {line.pk: line for line in held.lines}
    inside = list(shipment.lines.all())
    for units in inside:
        lines[units.order_line_id].delivered += units.quantity
    update(OrderLine, ("delivered",), [lines[units.order_line_id] for units in inside])
