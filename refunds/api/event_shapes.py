"""How events are answered, in the trail of one refund and in the feed of all."""

from typing import Any

from rest_framework import serializers

from refunds.models import RefundEvent


class EventShape(serializers.Serializer[RefundEvent]):
    """Something that happened. `id` is the same whenever it is read; `hash` covers it and the one before it."""

    id = serializers.SerializerMethodField()
    refund = serializers.CharField(source="refund.number")
    order = serializers.CharField(source="refund.order.number")
    channel = serializers.CharField(source="refund.order.channel.slug")
    sequence = serializers.IntegerField(source="seq")
    type = serializers.CharField(source="kind")
    data = serializers.JSONField()  # type: ignore[assignment]
    actor = serializers.CharField()
    role = serializers.CharField()
    occurred_at = serializers.DateTimeField()
    hash = serializers.SerializerMethodField()

    def get_id(self, event: RefundEvent) -> str:
        return f"{event.refund.number}.{event.seq}"

    def get_hash(self, event: RefundEvent) -> str:
        return bytes(event.hash).hex()


class TrailShape(serializers.Serializer[Any]):
    """The events of one refund in order; `next_cursor` is null at the end."""

    items = EventShape(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class FeedShape(serializers.Serializer[Any]):
    """Events of all refunds. `next` is never null: keep it and give it as `after` the next time."""

    items = EventShape(many=True)
    next = serializers.CharField()


_SHAPE = EventShape()


def show_event(event: RefundEvent) -> dict[str, Any]:
    return _SHAPE.to_representation(event)
