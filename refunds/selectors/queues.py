"""What waits for people: each queue is one condition, by which it is listed and counted."""

from collections.abc import Collection
from datetime import timedelta
from enum import StrEnum

from django.db.models import Count, DateTimeField, Exists, F, Func, OuterRef, Q, QuerySet

from orders.roles import Role
from refunds.incidents import ABOUT_MONEY
from refunds.models import GatewayRefund, Incident, Pickup, Refund
from refunds.states import FINAL_STATES, PickupState, RefundState


class Queue(StrEnum):
    UNASSIGNED = "unassigned"
    MINE = "mine"
    DUE_SOON = "due_soon"
    OVERDUE = "overdue"
    CUSTOMER_WROTE = "customer_wrote"
    SECOND_APPROVAL = "second_approval"
    MONEY = "money"
    COURIER = "courier"


SOON = timedelta(hours=24)
#: Nothing moves until a person does something.
WAITS_FOR_PEOPLE = (RefundState.IN_REVIEW, RefundState.INSPECTING, RefundState.FAILED)
AWAITS_GOODS = (RefundState.IN_REVIEW, RefundState.AWAITING_RETURN)

_NOW = Func(function="refundry_now", output_field=DateTimeField())


def queue(name: Queue, *, channels: Collection[int], principal_id: int) -> QuerySet[Refund]:
    """The refunds of one queue; `principal_id` is whose queue it is."""
    return _alive(channels).filter(_CONDITIONS[name] if name is not Queue.MINE else _mine(principal_id))


def queue_counts(*, channels: Collection[int], principal_id: int) -> dict[Queue, int]:
    """How long each queue is, in one statement."""
    conditions = _CONDITIONS | {Queue.MINE: _mine(principal_id)}
    counts = _alive(channels).aggregate(**{name: Count("pk", filter=conditions[name]) for name in Queue})
    return {name: counts[name] for name in Queue}


def _alive(channels: Collection[int]) -> QuerySet[Refund]:
    """What has a clock, or a person's case: two small indexes, however many refunds have ended."""
    clocked = Refund.objects.filter(next_reconcile_at__isnull=False).values("pk")
    flagged = Incident.objects.filter(closed_at=None, refund__isnull=False).values("refund")
    return Refund.objects.filter(pk__in=clocked.union(flagged), order__channel_id__in=channels)


def _mine(principal_id: int) -> Q:
    return _OPEN & Q(assignee_id=principal_id)


def _has_trouble_on_the_road() -> Exists:
    """By its latest parcel home: one that was lost before, and came another way, is no trouble any more."""
    newer = Pickup.objects.filter(refund=OuterRef("refund"), unwanted=False, pk__gt=OuterRef("pk"))
    troubled = Q(state__in=(PickupState.MISSED, PickupState.REFUSED, PickupState.LOST))
    unfetched = Q(state=PickupState.INTENDED) & ~Q(refusal="")
    parcels = Pickup.objects.filter(troubled | unfetched, refund=OuterRef("pk"), unwanted=False)
    return Exists(parcels.exclude(Exists(newer)))


def _has_case(*kinds: str) -> Exists:
    """An open incident of these kinds."""
    return Exists(Incident.objects.filter(refund=OuterRef("pk"), closed_at=None, kind__in=kinds))


_OPEN = ~Q(state__in=sorted(FINAL_STATES))
#: A hold stops the clock.
_TICKING = _OPEN & Q(held_until__isnull=True)
_BY_AN_AGENT = Q(requested_role__in=(Role.SUPPORT, Role.SUPERVISOR))
_LACKS_SECOND = Q(conditions__contains=[{"type": "ApprovalConformant", "status": "False"}])
_UNKNOWN_OUTCOME = Exists(GatewayRefund.objects.filter(refund=OuterRef("pk"), call="unknown"))
_MONEY_CASE = _has_case(*sorted(ABOUT_MONEY))
_CONDITIONS = {
    Queue.UNASSIGNED: Q(state__in=WAITS_FOR_PEOPLE, assignee__isnull=True),
    Queue.DUE_SOON: _TICKING & Q(deadline__gt=_NOW, deadline__lte=_NOW + SOON),
    Queue.OVERDUE: _TICKING & Q(deadline__lte=_NOW),
    Queue.CUSTOMER_WROTE: Q(customer_wrote_at__isnull=False),
    Queue.SECOND_APPROVAL: (Q(state=RefundState.IN_REVIEW) & _BY_AN_AGENT) | (_OPEN & _LACKS_SECOND),
    Queue.MONEY: Q(state=RefundState.FAILED) | Q(_UNKNOWN_OUTCOME) | Q(_MONEY_CASE),
    Queue.COURIER: Q(state__in=AWAITS_GOODS) & (Q(_has_trouble_on_the_road()) | Q(_has_case("return_failed"))),
}
#: Nearest deadline first, then the oldest.
ORDER = (F("deadline").asc(nulls_last=True), "pk")
