"""What shops are told of by webhook: where, how far the feed has been read, and each event for each address."""

from django.db import models
from django.db.models import Q

from orders.models import Channel
from orders.models.call import OutsideCall
from orders.models.machine import arrow, state_check, state_field
from refunds.models.event import RefundEvent
from refunds.models.refund import Refund
from refunds.states import HOOK_ARROWS, HookState


class WebhookEndpoint(models.Model):
    """An address that a channel's manifest names. `secret` is a reference; `types` empty: all events.

    It is owed events of transactions from `since` on. `generation` is of the manifest that said so last: only a newer
    one ends `disabled_at` (the shop wants nothing more here) or `removed_at` (the manifest does not name it any more).
    """

    channel = models.ForeignKey(Channel, on_delete=models.PROTECT, related_name="+", db_index=False)
    url = models.CharField(max_length=500)
    secret = models.CharField(max_length=500)
    types = models.JSONField(default=list, blank=True)
    generation = models.IntegerField(default=0)
    since = models.BigIntegerField()
    disabled_at = models.DateTimeField(null=True)
    removed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["channel", "url"], name="hook_endpoint_once")]

    def __str__(self) -> str:
        return self.url


class WebhookFeed(models.Model):
    """One row: the last event that deliveries were made of, as a position in the feed of all."""

    only_row = models.BooleanField(default=True)
    transaction_id = models.BigIntegerField(default=0)
    event_id = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["only_row"], name="hook_feed_once"),
            models.CheckConstraint(condition=Q(only_row=True), name="hook_feed_one_row"),
        ]


class WebhookDelivery(OutsideCall):
    """One event for one address: its own key, lock and call. `refund` and `seq` are the event's, by which its turn is
    found: an address is told of a refund in order."""

    endpoint = models.ForeignKey(WebhookEndpoint, on_delete=models.PROTECT, related_name="+", db_index=False)
    event = models.ForeignKey(RefundEvent, on_delete=models.PROTECT, related_name="+", db_index=False)
    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, related_name="+", db_index=False)
    seq = models.IntegerField()
    state = state_field(HookState, HookState.PENDING)
    next_reconcile_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    deliver = arrow(state, HOOK_ARROWS, "deliver")
    give_up = arrow(state, HOOK_ARROWS, "give_up")
    revive = arrow(state, HOOK_ARROWS, "revive")

    class Meta:
        indexes = [
            models.Index(
                fields=["next_reconcile_at", "id"],
                condition=Q(next_reconcile_at__isnull=False),
                name="hook_due",
            ),
            models.Index(fields=["endpoint", "refund", "seq"], condition=Q(state="pending"), name="hook_turn"),
            models.Index(fields=["endpoint", "id"], condition=Q(state="dead"), name="hook_dead"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["event", "endpoint"], name="hook_event_once"),
            state_check("state", HookState, name="hook_state_known"),
            models.CheckConstraint(condition=Q(call__in=["idle", "sent", "unknown"]), name="hook_call_known"),
            models.CheckConstraint(
                condition=Q(state="pending", next_reconcile_at__isnull=False)
                | (~Q(state="pending") & Q(next_reconcile_at__isnull=True)),
                name="hook_clock_while_pending",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event_id} to {self.endpoint_id}"
