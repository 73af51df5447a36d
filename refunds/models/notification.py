"""The message: what the customer is told of one event over one channel, under one identity for life.

It is about a refund; or about an order, when its customer asks for a new link to it. Then `event_seq` counts hours.
"""

from django.db import models
from django.db.models import Q

from orders.models import Order
from orders.models.call import OutsideCall
from orders.models.machine import arrow, state_check, state_field
from refunds.models.refund import Refund
from refunds.states import NOTIFICATION_ARROWS, NotificationState


class Notification(OutsideCall):
    """Its own key with its own lock and clock, so that telling never contends with shipping or paying.

    Recipient and language are read when it is claimed; `identity` is the Message-ID or idempotency key.
    """

    refund = models.ForeignKey(
        Refund, on_delete=models.PROTECT, related_name="notifications", null=True, db_index=False
    )
    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="+", null=True, db_index=False)
    event_seq = models.IntegerField()
    channel = models.CharField(max_length=8)
    template = models.CharField(max_length=40)
    state = state_field(NotificationState, NotificationState.PENDING)
    provider_id = models.CharField(max_length=200, default="", blank=True)
    language = models.CharField(max_length=16, default="", blank=True)
    recipient = models.CharField(max_length=254, default="", blank=True)
    next_reconcile_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    sent_to_provider_at = models.DateTimeField(null=True)

    deliver = arrow(state, NOTIFICATION_ARROWS, "deliver")
    give_up = arrow(state, NOTIFICATION_ARROWS, "give_up")

    class Meta:
        indexes = [
            models.Index(
                fields=["next_reconcile_at", "id"],
                condition=Q(next_reconcile_at__isnull=False),
                name="notification_due",
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["refund", "event_seq", "channel"], name="notification_once"),
            models.UniqueConstraint(fields=["order", "event_seq", "channel"], name="notification_of_order_once"),
            models.CheckConstraint(
                condition=Q(refund__isnull=False, order__isnull=True) | Q(refund__isnull=True, order__isnull=False),
                name="notification_about_one_thing",
            ),
            state_check("state", NotificationState, name="notification_state_known"),
            models.CheckConstraint(condition=Q(channel__in=["email", "sms"]), name="notification_channel_known"),
            models.CheckConstraint(condition=Q(call__in=["idle", "sent", "unknown"]), name="notification_call_known"),
            models.CheckConstraint(
                condition=~Q(state="pending") | Q(next_reconcile_at__isnull=False),
                name="notification_pending_has_a_clock",
            ),
        ]

    def identity(self, domain: str) -> str:
        """The Message-ID without brackets; the same for every attempt."""
        about = self.refund_id or f"order{self.order_id}"
        return f"{about}.{self.event_seq}.{self.channel}@{domain}"
