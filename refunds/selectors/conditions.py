"""A refund's conditions as doors show them: those the engine stored, and `CustomerNotified`, computed at read."""

from typing import Any

from refunds.models import Notification, Refund
from refunds.states import NotificationState


def conditions(refund: Refund) -> list[dict[str, Any]]:
    """Expects `notifications` to be prefetched when called for many."""
    told = customer_notified(list(refund.notifications.all()), generation=refund.observed_generation)
    return [*refund.conditions, *told]


def customer_notified(messages: list[Notification], *, generation: int) -> list[dict[str, Any]]:
    """One condition, or none while there is nothing to tell. The worst message decides."""
    if not messages:
        return []
    status, reason, text = _verdict({NotificationState(message.state) for message in messages})
    moved = max(message.sent_to_provider_at or message.created_at for message in messages)
    return [
        {
            "type": "CustomerNotified",
            "status": status,
            "reason": reason,
            "message": text,
            "last_transition_time": moved,
            "observed_generation": generation,
        }
    ]


def _verdict(states: set[NotificationState]) -> tuple[str, str, str]:
    if NotificationState.FAILED in states:
        return "False", "NotDelivered", "A message could not be delivered."
    if NotificationState.PENDING in states:
        return "False", "Sending", "A message is on its way."
    return "True", "Sent", "Every message has been handed to its provider."
