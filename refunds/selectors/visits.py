"""The order a customer visits, by the id in his link or by what he knows of it."""

import unicodedata

from django.db.models import QuerySet
from django.utils.crypto import constant_time_compare

from orders.errors import NotFound
from orders.models import Order


def visited_order(order_id: int) -> Order:
    """The order with its channel. NotFound."""
    order = Order.objects.select_related("channel").filter(pk=order_id).first()
    if order is None:
        raise NotFound("not_found", "There is no such order.")
    return order


def bare_number(number: str) -> str:
    """What the ways of writing one number have in common: `#A１`, `a1` and `A1`."""
    return unicodedata.normalize("NFKC", number).strip().removeprefix("#").casefold()


def _spellings(number: str) -> set[str]:
    """As the shop may have it. Of capitals and small letters it takes one kind, else what was typed."""
    plain = unicodedata.normalize("NFKC", number).strip().removeprefix("#")
    return {sign + text for sign in ("", "#") for text in (number, plain, plain.upper(), plain.lower())}


def orders_numbered(number: str, *, channel_id: int | None) -> list[int]:
    """The ids of the orders with this number, however it is written; None: in any channel."""
    return list(_numbered(number, channel_id).values_list("pk", flat=True))


def _numbered(number: str, channel_id: int | None) -> QuerySet[Order]:
    found = Order.objects.filter(number__in=_spellings(number))
    return found if channel_id is None else found.filter(channel_id=channel_id)


def order_known_by(*, number: str, email: str, channel_id: int | None) -> Order | None:
    """The order with this number, however it is written, that this address ordered; the newest where there are several.
    `channel_id` None: in any channel.

    One query and the same work for an unknown number and for a wrong address.
    """
    named = _numbered(number, channel_id).select_related("channel").order_by("-id")
    wanted = email.strip().casefold()
    known = [order for order in named if constant_time_compare(order.customer_email.strip().casefold(), wanted)]
    return known[0] if known and wanted else None
