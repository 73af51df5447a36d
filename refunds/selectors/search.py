"""Finding by whatever is known: a number, the customer, a parcel; by an index each, however many rows there are.

As one condition over all ways every order there is would be looked at; so it would for the newest of what is found,
were that not known by its ids first.
"""

import re
from collections.abc import Collection, Iterator
from functools import reduce
from typing import Any

from django.contrib.postgres.search import SearchQuery
from django.db.models import Q, QuerySet

from orders.models import Order, Shipment
from orders.models.order import CUSTOMER_DIGITS, CUSTOMER_WORDS
from refunds.models import Pickup, Refund

_NUMBER = re.compile(r"([A-Z0-9_-]{1,33})-(R?)([0-9]{1,18})")
_NO_DIGIT = re.compile(r"[^0-9+]")


#: Nobody turns so many pages.
MOST = 5000


def orders_spoken_of(text: str, *, channels: Collection[int]) -> list[int]:
    """Ids of the newest orders with this number, this customer (an e-mail address, a phone number, words of a name), or
    this tracking number."""
    return list(_orders(text, channels).order_by("-pk")[:MOST])


def refunds_spoken_of(text: str, *, channels: Collection[int]) -> list[int]:
    """Ids of the newest whose numbers, order, customer or parcels are meant."""
    fetched = Pickup.objects.filter(Q(waybill__in=_codes(text)) | Q(number__in=_codes(text)))
    ways = [Refund.objects.filter(order__in=_orders(text, channels)), *_numbered(text.upper())]
    found = _together([*(way.values_list("pk", flat=True) for way in ways), fetched.values_list("refund")])
    return list(found.order_by("-pk")[:MOST])


def _orders(text: str, channels: Collection[int]) -> QuerySet[Order, Any]:
    codes, here = _codes(text), Order.objects.filter(channel_id__in=channels)
    ways: list[QuerySet[Any]] = [
        here.filter(number__in=codes),
        here.filter(customer_email__iexact=text).exclude(customer_email=""),
        here.alias(words=CUSTOMER_WORDS).filter(words=SearchQuery(text, config="simple")),
    ]
    if phone := _NO_DIGIT.sub("", text):
        ways.append(here.alias(digits=CUSTOMER_DIGITS).filter(digits=phone).exclude(customer_phone=""))
    sent = Shipment.objects.filter(tracking_number__in=codes)
    return _together([*(way.values_list("pk", flat=True) for way in ways), sent.values_list("order")])


def _codes(text: str) -> set[str]:
    return {text, text.upper()}


def _numbered(text: str) -> Iterator[QuerySet[Refund]]:
    """PREFIX-1042 is the refund 1042, PREFIX-R1042 the request that it was the first of."""
    if found := _NUMBER.fullmatch(text):
        prefix, request, digits = found.groups()
        first = Refund.objects.filter(pk=int(digits), number__istartswith=f"{prefix}-")
        together = Refund.objects.filter(order__in=first.values("order"), request_id=int(digits))
        yield together if request else first


def _together(ways: list[QuerySet[Any]]) -> QuerySet[Any]:
    return reduce(lambda found, way: found.union(way), ways)
