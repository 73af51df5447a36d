"""The order a customer visits, by the id in his link or by what he knows of it."""

from django.utils.crypto import constant_time_compare

from orders.errors import NotFound
from orders.models import Order


def visited_order(order_id: int) -> Order:
    """The order with its channel. NotFound."""
    order = Order.objects.select_related("channel").filter(pk=order_id).first()
    if order is None:
        raise NotFound("not_found", "There is no such order.")
    return order


def orders_numbered(number: str) -> list[int]:
    """The ids of the orders with this number, one per channel at most."""
    return list(Order.objects.filter(number=number).values_list("pk", flat=True))


def order_known_by(*, number: str, email: str) -> Order | None:
    """The order with this number that this address ordered, the newest where several channels have one.

    One query and the same work for an unknown number and for a wrong address.
    """
    named = Order.objects.filter(number=number).select_related("channel").order_by("-id")
    wanted = email.strip().casefold()
    known = [order for order in named if constant_time_compare(order.customer_email.strip().casefold(), wanted)]
    return known[0] if known and wanted else None
