"""What a person must look at, as doors read it: by channel, with its order and its refund's money."""

from collections.abc import Collection, Iterable

from django.db.models import Q, QuerySet

from orders.errors import NotFound
from refunds.incidents import Cause
from refunds.models import GatewayRefund, Incident, Refund
from refunds.selectors.allowed import is_outcome_open
from refunds.states import RefundState


def open_incidents(*, channels: Collection[int]) -> QuerySet[Incident]:
    """What is to be looked at, the most urgent first."""
    return _of(channels).filter(closed_at=None).order_by("due_at", "pk")


def incidents_page(*, channels: Collection[int], order: str = "", before_id: int | None, limit: int) -> list[Incident]:
    """Open and closed ones, the newest first, at most `limit`."""
    found = _of(channels).filter(order__number=order) if order else _of(channels)
    if before_id is not None:
        found = found.filter(pk__lt=before_id)
    return list(found.order_by("-pk")[:limit])


def incident_by_id(incident_id: int, *, channels: Collection[int]) -> Incident:
    """NotFound for unknown and foreign alike."""
    found = _of(channels).filter(pk=incident_id).first()
    if found is None:
        raise NotFound("incident_not_found", f"There is no incident {incident_id}.")
    return found


def cause_of(incident: Incident) -> Cause | None:
    """Expects the refund's `gateway_refunds` to be prefetched when called for many."""
    refund = incident.refund
    return cause(refund, refund.gateway_refunds.all()) if refund else None


def cause(refund: Refund, movements: Iterable[GatewayRefund]) -> Cause:
    return Cause(RefundState(refund.state), is_outcome_open(movements))


def _of(channels: Collection[int]) -> QuerySet[Incident]:
    """What is about no order of ours is everybody's."""
    found = Incident.objects.filter(Q(order=None) | Q(order__channel_id__in=channels))
    return found.select_related("order__channel", "refund").prefetch_related("refund__gateway_refunds")
