"""A thing a person must look at."""

from django.db import models
from django.db.models import Q

from orders.models import Order
from refunds.models.refund import Refund


class Incident(models.Model):
    """Opened once per (refund, kind) while open. `data` holds references and amounts, no personal data."""

    kind = models.CharField(max_length=40)
    order = models.ForeignKey(Order, on_delete=models.PROTECT, null=True, related_name="incidents")
    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, null=True, related_name="incidents")
    data = models.JSONField(default=dict)
    opened_at = models.DateTimeField()
    due_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    closed_by = models.CharField(max_length=60, default="", blank=True)
    note = models.TextField(default="", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["refund", "kind"], condition=Q(closed_at__isnull=True), name="incident_open_once"
            )
        ]
