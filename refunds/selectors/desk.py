"""What an agent reads besides the refund itself: lists to look things up in, a case's surroundings, and who is who."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from orders.models import Order, Principal, Shipment
from refunds.actions import AGENTS
from refunds.models import Incident, Pickup, Refund, RefundEvent
from refunds.selectors.queues import ORDER, Queue, queue
from refunds.selectors.refunds import refund_by_number
from refunds.states import RefundState, Route

#: Far more than any refund of a person's patience has; the API pages through all of them.
MOST_EVENTS = 500
_NUMBER = re.compile(r"([A-Z0-9_-]{1,20})-(R?)([0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class ListWish:
    """Which refunds a list shows. `name` None: whatever queue; empty fields do not narrow."""

    channels: Collection[int]
    principal_id: int
    name: Queue | None = None
    text: str = ""
    state: RefundState | None = None
    route: Route | None = None


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A refund with what belongs to it. `shipments`: the outward parcels of its units, `names` of the principals in
    its trail by reference, `colleagues`: who may be given the case."""

    refund: Refund
    events: list[RefundEvent]
    incidents: list[Incident]
    shipments: list[Shipment]
    siblings: list[Refund]
    names: dict[str, str]
    colleagues: list[Principal]


def refund_list(wish: ListWish) -> QuerySet[Refund]:
    """Queues by deadline, everything else newest first."""
    found = Refund.objects.filter(order__channel_id__in=wish.channels).order_by("-pk")
    if wish.name:
        found = queue(wish.name, channels=wish.channels, principal_id=wish.principal_id).order_by(*ORDER)
    if wish.text:
        found = found.filter(pk__in=_spoken_of(wish.text))
    if wish.state:
        found = found.filter(state=wish.state)
    if wish.route:
        found = found.filter(route=wish.route)
    found = found.select_related("order__channel", "assignee").defer("sheet", "conditions")
    return found.prefetch_related("gateway_refunds")


def order_list(*, channels: Collection[int], text: str) -> QuerySet[Order]:
    """Newest first; the text is a number, a customer, or a tracking number."""
    found = Order.objects.filter(channel_id__in=channels).select_related("channel").order_by("-pk")
    sent = Shipment.objects.filter(tracking_number__in={text, text.upper()}).values("order")
    return found.filter(_is_of(text) | Q(pk__in=sent)) if text else found


def case_file(number: str, *, channels: Collection[int]) -> CaseFile:
    """NotFound for unknown and foreign alike."""
    refund = refund_by_number(number, channels=channels)
    events = list(RefundEvent.objects.filter(refund=refund).order_by("seq")[:MOST_EVENTS])
    parcels = {row.shipment_id for row in refund.lines.all() if row.shipment_id}
    people = [event.actor for event in events] + [refund.requested_by, refund.approved_by, refund.cancel_wanted_by]
    people += [event.data["to"] for event in events if event.kind == "refund.assigned" and event.data["to"]]
    colleagues = Principal.objects.filter(role__in=AGENTS, channels=refund.order.channel_id, user__isnull=False)
    siblings = Refund.objects.filter(order=refund.order_id).exclude(pk=refund.pk).order_by("pk")
    return CaseFile(
        refund=refund,
        events=events,
        incidents=list(Incident.objects.filter(refund=refund).order_by("pk")),
        shipments=list(Shipment.objects.filter(pk__in=parcels).order_by("pk")),
        siblings=list(siblings.only("number", "state", "amount_minor", "currency")),
        names=names_of(people, also=refund.assignee_id),
        colleagues=list(colleagues.order_by("name", "pk")),
    )


def names_of(references: Iterable[str], *, also: int | None = None) -> dict[str, str]:
    """The names behind `principal:7`, by reference."""
    ids = {int(of.removeprefix("principal:")) for of in references if of.startswith("principal:")}
    found = Principal.objects.filter(pk__in=ids | ({also} if also else set())).values_list("pk", "name")
    return {f"principal:{pk}": name for pk, name in found}


def _spoken_of(text: str) -> QuerySet[Refund, Any]:
    """Ids of those whose numbers, order, customer or parcels are meant. Each way by its own index: as one condition
    over all of them every refund there is would be looked at."""
    codes = {text, text.upper()}
    orders = Order.objects.filter(_is_of(text)).values("pk")
    sent = Shipment.objects.filter(tracking_number__in=codes).values("order")
    fetched = Pickup.objects.filter(Q(waybill__in=codes) | Q(number__in=codes)).values("refund")
    ways = [Refund.objects.filter(order__in=orders), Refund.objects.filter(order__in=sent)]
    ways += [Refund.objects.filter(pk__in=fetched), *_numbered(text.upper())]
    first, *others = (way.values("pk") for way in ways)
    return first.union(*others)


def _numbered(text: str) -> Iterator[QuerySet[Refund]]:
    """PREFIX-1042 is the refund 1042, PREFIX-R1042 the request that it was the first of."""
    if found := _NUMBER.fullmatch(text):
        prefix, request, digits = found.groups()
        first = Refund.objects.filter(pk=int(digits), number__istartswith=f"{prefix}-")
        together = Refund.objects.filter(order__in=first.values("order"), request_id=int(digits))
        yield together if request else first


def _is_of(text: str) -> Q:
    """Whether an order is meant: by its number or its customer."""
    wanted = Q(customer_phone__contains=text.replace(" ", ""))
    for field in ("number", "customer_email", "customer_name"):
        wanted |= Q(**{f"{field}__icontains": text})
    return wanted
