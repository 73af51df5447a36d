"""Outward parcels: some units of some lines, and what the carrier says of them."""

from django.db import models

from orders.models.call import OutsideCall
from orders.models.machine import arrow, state_check, state_field
from orders.models.order import Order, OrderLine
from orders.states import SHIPMENT_ARROWS, ShipmentState


class Shipment(OutsideCall):
    """Its call is the intercept. `reference` is the shop's own name for it: the same again changes nothing. `left`: the
    carrier took units that a refund held. Parcel facts are ordered by the carrier's time (`fact_at`), not by arrival.
    `delivery_known_at` is when we heard of the delivery first, whenever the carrier says that it was: by the customer's
    word alone, while the state is what the carrier said.
    """

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="shipments")
    reference = models.CharField(max_length=100, null=True)
    carrier = models.CharField(max_length=60, default="", blank=True)
    tracking_number = models.CharField(max_length=100, default="", blank=True)
    state = state_field(ShipmentState, ShipmentState.SHIPPED)
    left = models.BooleanField(default=False)
    shipped_at = models.DateTimeField()
    delivered_at = models.DateTimeField(null=True)
    delivery_known_at = models.DateTimeField(null=True)
    fact_at = models.DateTimeField()
    created_at = models.DateTimeField()

    deliver = arrow(state, SHIPMENT_ARROWS, "deliver")
    intercept = arrow(state, SHIPMENT_ARROWS, "intercept")
    turn_back = arrow(state, SHIPMENT_ARROWS, "turn_back")
    come_back = arrow(state, SHIPMENT_ARROWS, "come_back")
    lose = arrow(state, SHIPMENT_ARROWS, "lose")
    refuse = arrow(state, SHIPMENT_ARROWS, "refuse")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["order", "reference"], name="shipment_reference_once"),
            state_check("state", ShipmentState, name="shipment_state_known"),
        ]
        indexes = [
            models.Index(fields=["tracking_number"], condition=~models.Q(tracking_number=""), name="shipment_tracking")
        ]


class ShipmentLine(models.Model):
    shipment = models.ForeignKey(Shipment, on_delete=models.PROTECT, related_name="lines", db_index=False)
    order_line = models.ForeignKey(OrderLine, on_delete=models.PROTECT, related_name="shipment_lines")
    quantity = models.IntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["shipment", "order_line"], name="shipment_line_once"),
            models.CheckConstraint(condition=models.Q(quantity__gte=1), name="shipment_line_has_units"),
        ]
