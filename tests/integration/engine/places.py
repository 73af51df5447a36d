"""Orders whose units are in several places, and what carriers say of their parcels."""

from datetime import timedelta

from django.db import transaction

from orders import clock
from orders.models import Order, Shipment
from orders.roles import SYSTEM
from orders.services.carrier import CarrierFact, report_fact
from orders.services.lines import Sku
from orders.services.shipments import ShipmentFacts, Units, add_shipment
from orders.states import ShipmentState
from refunds.services.wakes import order_changed
from tests.integration.engine.returns import SHOP, bought


@transaction.atomic
def send(order: Order, tracking_number: str, *units: tuple[str, int], delivered: bool = False) -> Shipment:
    """The shop hands these (sku, quantity) to the carrier."""
    facts = ShipmentFacts(
        order.number,
        [Units(Sku(sku), quantity) for sku, quantity in units],
        carrier="c",
        tracking_number=tracking_number,
        shipped_at=clock.now() - timedelta(days=1),
        delivered_at=clock.now() if delivered else None,
    )
    shipped = add_shipment(facts, channel_id=order.channel_id, actor=SHOP)
    order_changed([order.pk])
    return shipped.shipment


@transaction.atomic
def report(parcel: Shipment, state: str) -> None:
    """The carrier's word about a parcel on its way out."""
    order = Order.objects.get(pk=parcel.order_id)
    report_fact(CarrierFact(order.number, parcel.pk, ShipmentState(state)), channel_id=order.channel_id, actor=SYSTEM)
    order_changed([order.pk])


def in_three_places(**fields: int) -> tuple[Order, Shipment, Shipment]:
    """Five of one line at 10.01: two in stock, two on the way, one received; and the two parcels."""
    order = bought(1001, quantity=5, **fields)
    return order, send(order, f"way-{order.pk}", ("A", 2)), send(order, f"got-{order.pk}", ("A", 1), delivered=True)
