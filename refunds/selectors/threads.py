"""What customer and customer service have written to each other."""

from refunds.models import CaseMessage


def thread_of_order(order_id: int) -> list[CaseMessage]:
    """Of all refunds of the order, the oldest first."""
    return list(CaseMessage.objects.filter(refund__order=order_id).order_by("id"))


def thread_of(refund_id: int) -> list[CaseMessage]:
    """The oldest first."""
    return list(CaseMessage.objects.filter(refund=refund_id).order_by("id"))
