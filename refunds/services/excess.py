"""The case of a payment share that has paid back more than was captured: one is open at a time, and ends with that."""

from datetime import datetime

from orders.models import PaymentShare
from orders.roles import SYSTEM
from refunds.incidents import INCIDENT_DUE
from refunds.models import Incident

KIND = "excess"


def follow_excess(share: PaymentShare, *, before_minor: int, now: datetime) -> None:
    """Bring the share's case to its excess, which was `before_minor`. The order is locked."""
    of_it = Incident.objects.filter(order=share.order_id, kind=KIND, closed_at=None, data__share=share.pk)
    data = {"share": share.pk, "amount_minor": share.excess_minor}
    if not share.excess_minor:
        of_it.update(closed_at=now, closed_by=SYSTEM.reference, note="Nothing is beyond what was captured any more.")
    elif not of_it.update(data=data) and share.excess_minor > before_minor:
        times = {"opened_at": now, "due_at": now + INCIDENT_DUE}
        Incident.objects.create(order_id=share.order_id, kind=KIND, data=data, **times)
