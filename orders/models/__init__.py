"""Rows of the order side. Columns, constraints and transitions; no behaviour that writes."""

from orders.models.access import ApiKey, IdempotencyRecord, Principal
from orders.models.channel import Channel
from orders.models.order import Order, OrderLine
from orders.models.payment import Payment, PaymentShare
from orders.models.shipment import Shipment, ShipmentLine

__all__ = [
    "ApiKey",
    "Channel",
    "IdempotencyRecord",
    "Order",
    "OrderLine",
    "Payment",
    "PaymentShare",
    "Principal",
    "Shipment",
    "ShipmentLine",
]
