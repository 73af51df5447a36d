"""All that an operator is told of one refund, in a constant number of statements."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Min

from orders import clock
from refunds.models import Incident, Refund, RefundEvent
from refunds.selectors.refunds import refund_anywhere


@dataclass(frozen=True, slots=True)
class Happened:
    """The same thing, `count` times."""

    kind: str
    actor: str
    data: dict[str, Any]
    count: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class Dossier:
    """`events` are in the order in which each last happened; `now` is the business time all of it was read at."""

    refund: Refund
    events: list[Happened]
    incidents: list[Incident]
    now: datetime


def dossier(number: str) -> Dossier:
    """NotFound for an unknown number; whatever the channel."""
    refund = refund_anywhere(number)
    incidents = list(Incident.objects.filter(refund=refund).order_by("pk"))
    return Dossier(refund, _events(refund), incidents, clock.now())


def _events(refund: Refund) -> list[Happened]:
    alike = RefundEvent.objects.filter(refund=refund).values("kind", "actor", "data")
    folded = alike.annotate(n=Count("pk"), first=Min("occurred_at"), last=Max("occurred_at"), end=Max("seq"))
    rows = folded.order_by("end").values_list("kind", "actor", "data", "n", "first", "last")
    return [Happened(*row) for row in rows]
