"""Webhooks to shops as operators see them: by channel and state, the newest first."""

from collections.abc import Collection

from django.db.models import QuerySet

from orders.errors import NotFound
from refunds.models import WebhookDelivery
from refunds.states import HookState


def hooks_page(
    *, channels: Collection[int], state: HookState | None, before_id: int | None, limit: int
) -> list[WebhookDelivery]:
    """At most `limit` of this state, or of any."""
    found = _of(channels)
    if state is not None:
        found = found.filter(state=state)
    if before_id is not None:
        found = found.filter(pk__lt=before_id)
    return list(found.order_by("-pk")[:limit])


def hook_by_id(delivery_id: int, *, channels: Collection[int] | None) -> WebhookDelivery:
    """NotFound for unknown and foreign alike. `channels` None: of any."""
    found = _of(channels).filter(pk=delivery_id).first()
    if found is None:
        raise NotFound("webhook_delivery_not_found", f"There is no webhook delivery {delivery_id}.")
    return found


def _of(channels: Collection[int] | None) -> QuerySet[WebhookDelivery]:
    found = WebhookDelivery.objects.select_related("endpoint__channel", "event", "refund")
    return found if channels is None else found.filter(endpoint__channel_id__in=channels)
