"""Refunds as doors read them: by channel, whole, in a constant number of queries."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch, QuerySet

from orders.errors import NotFound
from orders.models import Channel, Order
from refunds.models import GatewayRefund, Notification, Pickup, Refund, RefundLine, TargetChange
from refunds.states import RefundState

_NUMBER = re.compile(r"[A-Za-z0-9_-]{1,33}-(?P<id>[0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class RefundFilter:
    """Empty fields do not narrow. `updated_since` is inclusive; `before_id` is where the page before ended."""

    channels: Collection[int]
    order: str = ""
    states: Collection[RefundState] = ()
    updated_since: datetime | None = None
    before_id: int | None = None


def refund_by_number(number: str, *, channels: Collection[int]) -> Refund:
    """In capitals or not. NotFound for unknown and foreign alike. The id in the number is the primary key."""
    return _one(_whole(), number, channels)


def refunds_numbered(numbers: Collection[str], *, channels: Collection[int]) -> list[Refund]:
    """Those there are of them, with their orders; in capitals or not."""
    wanted = {match[0].upper(): int(match["id"]) for number in numbers if (match := _NUMBER.fullmatch(number))}
    here = Refund.objects.filter(id__in=wanted.values(), order__channel_id__in=channels).select_related("order")
    return [refund for refund in here.order_by("id") if refund.number.upper() in wanted]


def refund_anywhere(number: str) -> Refund:
    """For operators, who look at all channels. NotFound."""
    return _one(_whole().select_related("order__channel", "policy_version", "assignee"), number, None)


def order_and_refund(number: str, *, channels: Collection[int]) -> tuple[int, int]:
    """The ids of the order and of the refund with this number, for who locks and loads them himself. NotFound."""
    found = _one(Refund.objects.only("order_id"), number, channels)
    return found.order_id, found.id


def refunds_page(wanted: RefundFilter, *, limit: int) -> list[Refund]:
    """Newest first, at most `limit`."""
    page = _whole().filter(order__channel_id__in=wanted.channels)
    if wanted.order:
        page = page.filter(order__number=wanted.order)
    if wanted.states:
        page = page.filter(state__in=wanted.states)
    if wanted.updated_since:
        page = page.filter(updated_at__gte=wanted.updated_since)
    if wanted.before_id is not None:
        page = page.filter(id__lt=wanted.before_id)
    return list(page.order_by("-id")[:limit])


def refunds_of_order(order_id: int) -> list[Refund]:
    """All of an order, the oldest first."""
    return list(_whole().filter(order_id=order_id).order_by("id"))


def join(
    refund: Refund, *, order: Order, channel: Channel, lines: list[RefundLine], gateway_refunds: list[GatewayRefund]
) -> Refund:
    """A refund that was just made, whole as the others here, from the rows in hand: nobody has to read it back."""
    order.channel = channel
    refund.order = order
    made = {
        "lines": lines,
        "gateway_refunds": gateway_refunds,
        "pickups": [],
        "notifications": [],
        "target_changes": [],
    }
    refund._prefetched_objects_cache = made  # type: ignore[attr-defined]
    return refund


def _one(refunds: QuerySet[Refund], number: str, channels: Collection[int] | None) -> Refund:
    numbered = _NUMBER.fullmatch(number)
    here = refunds if channels is None else refunds.filter(order__channel_id__in=channels)
    found = here.filter(id=int(numbered["id"]), number__iexact=number).first() if numbered else None
    if found is None:
        raise NotFound("refund_not_found", f"There is no refund {number}.")
    return found


def _whole() -> QuerySet[Refund]:
    return Refund.objects.select_related("order__channel").prefetch_related(
        Prefetch("lines", RefundLine.objects.select_related("order_line", "shipment").order_by("id")),
        Prefetch("gateway_refunds", GatewayRefund.objects.select_related("share__payment").order_by("id")),
        Prefetch("target_changes", TargetChange.objects.order_by("id")),
        Prefetch("pickups", Pickup.objects.order_by("id")),
        Prefetch("notifications", Notification.objects.order_by("event_seq", "channel")),
    )
