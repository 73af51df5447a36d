"""What gateways told us, stored once by event id before anything is done about it."""

from django.db import models
from django.db.models import Q
from django.db.models.fields.json import KT

from refunds.models.refund import Refund


class InboundWebhook(models.Model):
    """Stored without any lock; `applied_at` is set by the reconcile that took it into account.

    `refund` is found by the movement's number, or by the parcel's; null when it speaks of nothing we know, or of a
    waybill that nobody knows yet.
    """

    account = models.CharField(max_length=60)
    event_id = models.CharField(max_length=200)
    kind = models.CharField(max_length=40)
    payload = models.JSONField()
    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, null=True, db_index=False)
    received_at = models.DateTimeField()
    applied_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account", "event_id"], name="webhook_event_once")]
        indexes = [
            models.Index(
                fields=["refund"],
                condition=Q(applied_at__isnull=True, refund__isnull=False),
                name="webhook_unapplied",
            ),
            models.Index(
                KT("payload__waybill"),
                condition=Q(applied_at__isnull=True, refund__isnull=True, kind="parcel.updated"),
                name="webhook_waybill_unknown",
            ),
        ]
