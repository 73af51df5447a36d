"""What an agent reads besides the refund itself: lists to look things up in, a case's surroundings, and who is who."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from django.db.models import F, QuerySet

from orders.models import Order, Principal, Shipment
from orders.roles import KEY_ROLES
from refunds.actions import AGENTS
from refunds.models import CaseMessage, Incident, Refund, RefundEvent
from refunds.selectors.queues import ORDER, Queue, queue
from refunds.selectors.refunds import refund_by_number
from refunds.selectors.search import orders_spoken_of, refunds_spoken_of
from refunds.selectors.threads import thread_of
from refunds.states import FINAL_STATES, RefundState, Route

Mark = Callable[[str], str]
#: Far more than any refund of a person's patience has; the API pages through all of them.
MOST_EVENTS = 500


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
    thread: list[CaseMessage]


def refund_list(wish: ListWish) -> QuerySet[Refund]:
    """Queues by deadline, everything else newest first."""
    found = Refund.objects.filter(order__channel_id__in=wish.channels).order_by("-pk")
    if wish.name:
        found = queue(wish.name, channels=wish.channels, principal_id=wish.principal_id).order_by(*ORDER)
    if wish.text:
        found = found.filter(pk__in=refunds_spoken_of(wish.text, channels=wish.channels))
    if wish.state:
        found = found.filter(state=wish.state)
    if wish.route:
        found = found.filter(route=wish.route)
    found = found.select_related("order__channel", "assignee").defer("sheet", "conditions")
    return found.prefetch_related("gateway_refunds")


def order_list(*, channels: Collection[int], text: str) -> QuerySet[Order]:
    """Newest first; the text is a number, a customer, or a tracking number."""
    found = Order.objects.filter(channel_id__in=channels).select_related("channel").order_by("-pk")
    return found.filter(pk__in=orders_spoken_of(text, channels=channels)) if text else found


def case_file(number: str, *, channels: Collection[int], has_left: Mark = str) -> CaseFile:
    """NotFound for unknown and foreign alike. `has_left` marks the names of people who have."""
    refund = refund_by_number(number, channels=channels)
    events = list(RefundEvent.objects.filter(refund=refund).order_by("seq")[:MOST_EVENTS])
    parcels = {row.shipment_id for row in refund.lines.all() if row.shipment_id}
    thread = thread_of(refund.pk)
    people = [event.actor for event in events] + [refund.requested_by, refund.approved_by, refund.cancel_wanted_by]
    people += [refund.second_by, refund.offered_by, *(message.author for message in thread)]
    given = [event.data for event in events if event.kind == "refund.assigned"]
    people += [of for data in given for of in (data["to"], data.get("left")) if of]
    colleagues = Principal.objects.filter(role__in=AGENTS, channels=refund.order.channel_id, user__isnull=False)
    colleagues = colleagues.filter(left_at=None)
    siblings = Refund.objects.filter(order=refund.order_id).exclude(pk=refund.pk).order_by("pk")
    return CaseFile(
        refund=refund,
        events=events,
        incidents=list(Incident.objects.filter(refund=refund).order_by("pk")),
        shipments=list(Shipment.objects.filter(pk__in=parcels).order_by("pk")),
        siblings=list(siblings.only("number", "state", "amount_minor", "currency")),
        names=names_of(people, also=refund.assignee_id, has_left=has_left),
        colleagues=list(colleagues.order_by("name", "pk")),
        thread=thread,
    )


def names_of(references: Iterable[str], *, also: int | None = None, has_left: Mark = str) -> dict[str, str]:
    """The names behind `principal:7`, by reference; `has_left` marks those of people who have."""
    ids = {int(of.removeprefix("principal:")) for of in references if of.startswith("principal:")}
    found = Principal.objects.filter(pk__in=ids | ({also} if also else set())).values_list("pk", "name", "left_at")
    return {f"principal:{pk}": has_left(name) if left_at else name for pk, name, left_at in found}


@dataclass(frozen=True, slots=True)
class Person:
    """One who works for these channels, and how many open cases are his."""

    principal: Principal
    cases: int

    @property
    def reference(self) -> str:
        return f"principal:{self.principal.pk}"


def people(*, channels: Collection[int]) -> list[Person]:
    """Who works for these channels and no others; those who have left come last."""
    strangers = Principal.channels.through.objects.exclude(channel_id__in=channels).values("principal_id")
    here = Principal.objects.filter(channels__in=channels, role__in=KEY_ROLES).exclude(pk__in=strangers).distinct()
    open_ones = Refund.objects.filter(next_reconcile_at__isnull=False, assignee__isnull=False)
    counts = Counter(open_ones.exclude(state__in=sorted(FINAL_STATES)).values_list("assignee_id", flat=True))
    ordered = here.order_by(F("left_at").asc(nulls_first=True), "name", "pk")
    return [Person(principal, counts[principal.pk]) for principal in ordered.prefetch_related("channels")]
