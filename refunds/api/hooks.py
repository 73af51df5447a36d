"""Webhooks to the shop: what became of them, and dead letters sent again."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from orders.errors import Invalid
from orders.rest.answers import answer
from orders.rest.door import Door
from orders.rest.pagination import page, read_page
from orders.rest.parameters import query_text
from orders.rest.schema import operation
from orders.snapshot import snapshot
from refunds.api import queries, schema
from refunds.hooks import identity
from refunds.models import WebhookDelivery
from refunds.selectors.hooks import hook_by_id, hooks_page
from refunds.services.hooks.dead_letters import permit_hooks, retry_hook
from refunds.states import HookState

_STATE = OpenApiParameter("state", description="Only deliveries of this state.", enum=[s.value for s in HookState])


class DeliveryShape(serializers.Serializer[WebhookDelivery]):
    """One event for one address. `event` is its id in the feed, `webhook_id` that of the header; `failures` counts from
    when it was begun, or retried; `last_error` is the last of them; `next_attempt_at` is null once it has ended."""

    id = serializers.IntegerField()
    webhook_id = serializers.SerializerMethodField()
    event = serializers.SerializerMethodField()
    type = serializers.CharField(source="event.kind")
    refund = serializers.CharField(source="refund.number")
    channel = serializers.CharField(source="endpoint.channel.slug")
    url = serializers.CharField(source="endpoint.url")
    state = serializers.ChoiceField([state.value for state in HookState])
    attempts = serializers.IntegerField(source="attempt")
    failures = serializers.IntegerField()
    last_error = serializers.CharField()
    created_at = serializers.DateTimeField()
    next_attempt_at = serializers.DateTimeField(source="next_reconcile_at", allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)

    def get_webhook_id(self, delivery: WebhookDelivery) -> str:
        return identity(delivery.refund.number, delivery.seq)

    def get_event(self, delivery: WebhookDelivery) -> str:
        return f"{delivery.refund.number}.{delivery.seq}"


class DeliveryPageShape(serializers.Serializer[Any]):
    items = DeliveryShape(many=True)
    next_cursor = serializers.CharField(allow_null=True)


_SHAPE = DeliveryShape()


class WebhookDeliveries(Door):
    """GET /webhook-deliveries"""

    @operation(
        operation_id="list_webhook_deliveries",
        parameters=[schema.CHANNEL, _STATE, *schema.PAGE],
        responses={200: DeliveryPageShape} | schema.problems(403, 404),
    )
    def get(self, request: Request) -> HttpResponse:
        """Newest first; `?state=dead`: those that were given up."""
        permit_hooks(self.caller.actor)
        django = request._request
        wish, state = read_page(django, (int,)), _state(django)
        before_id = wish.after[0] if wish.after else None
        channels = queries.channel_ids(self)
        with snapshot():
            found = hooks_page(channels=channels, state=state, before_id=before_id, limit=wish.to_read)
        return answer(page(found, wish, show=_SHAPE.to_representation, key=lambda delivery: delivery.pk))


class WebhookRetry(Door):
    """POST /webhook-deliveries/{id}/retry"""

    @operation(
        operation_id="retry_webhook_delivery",
        request=None,
        parameters=[schema.IDEMPOTENCY_KEY],
        responses={200: DeliveryShape} | schema.problems(403, 404, 409),
    )
    def post(self, request: Request, delivery_id: int) -> HttpResponse:
        """A dead letter is sent again, at once and by the whole schedule, under the same `webhook-id`. 409 `not_dead`,
        or `endpoint_closed` where the manifest must name the address anew first."""
        self.parsed = {}
        return self.once(lambda: self._retried(delivery_id))

    def _retried(self, delivery_id: int) -> HttpResponse:
        caller = self.caller
        retry_hook(delivery_id, channels=caller.channel_ids, actor=caller.actor)
        return answer(_SHAPE.to_representation(hook_by_id(delivery_id, channels=caller.channel_ids)))


def _state(request: HttpRequest) -> HookState | None:
    text = query_text(request, "state")
    try:
        return None if text is None else HookState(text)
    except ValueError:
        known = ", ".join(HookState)
        raise Invalid.of("state", "bad_parameter", f"state must be one of {known}.") from None
