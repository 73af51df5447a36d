"""Whose goods a parcel may hold that came without a case, by what is written on it; by an index each."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from orders.models import Order, Shipment
from orders.models.order import CUSTOMER_DIGITS
from refunds.models import Pickup, Refund
from refunds.selectors.refunds import refunds_numbered

_NO_DIGIT = re.compile(r"[^0-9+]")
#: Nobody has more cases open; of a phone number that many share nothing follows.
MOST = 20


@dataclass(frozen=True, slots=True)
class Parcel:
    """What is written on it, as far as it can be read; `reference` is one of ours, or the customer's own."""

    tracking_number: str = ""
    order: str = ""
    phone: str = ""
    reference: str = ""
    note: str = ""


def refunds_of_parcel(parcel: Parcel, *, channels: Collection[int]) -> list[Refund]:
    """That name this very parcel, in capitals or not: by its tracking number, our number for it, or the refund's."""
    codes = {either for code in (parcel.tracking_number, parcel.reference) if code for either in (code, code.upper())}
    carried = Pickup.objects.filter(Q(waybill__in=codes) | Q(number__in=codes))
    found = _whole(channels).filter(pk__in=carried.values("refund"))
    numbered = refunds_numbered([parcel.reference], channels=channels)
    return list(found.order_by("pk")[:MOST] or _whole(channels).filter(pk__in=[r.pk for r in numbered]))


def orders_of_parcel(parcel: Parcel, *, channels: Collection[int]) -> list[Order]:
    """By its number, the one it came with, the customer's reference, or his phone: the first that is known."""
    for way in _ways(parcel, Order.objects.filter(channel_id__in=channels)):
        if found := list(way.order_by("-pk")[:MOST]):
            return found
    return []


def refunds_of_orders(orders: Collection[Order]) -> list[Refund]:
    channels = {order.channel_id for order in orders}
    return list(_whole(channels).filter(order__in=orders).order_by("pk")[:MOST])


def _ways(parcel: Parcel, here: QuerySet[Order]) -> Iterator[QuerySet[Order]]:
    codes = {code for code in (parcel.order, parcel.reference) if code}
    yield here.filter(number__in=codes)
    if parcel.tracking_number:
        sent = Shipment.objects.filter(tracking_number=parcel.tracking_number)
        yield here.filter(pk__in=sent.values("order"))
    if parcel.reference:
        yield here.filter(customer_reference=parcel.reference)
    if digits := _NO_DIGIT.sub("", parcel.phone):
        yield here.alias(digits=CUSTOMER_DIGITS).filter(digits=digits).exclude(customer_phone="")


def _whole(channels: Collection[int]) -> QuerySet[Refund]:
    found = Refund.objects.filter(order__channel_id__in=channels).select_related("order")
    return found.prefetch_related("gateway_refunds", "pickups", "lines__shipment")
