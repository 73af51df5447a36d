"""The append-only money ledger. The columns of a payment share are the sums of these entries."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Q

from orders.models import PaymentShare
from refunds.models.movement import GatewayRefund

LEDGER_KINDS = (
    "capture",
    "reserve",
    "release",
    "refund",
    "reversal",
    "dispute",
    "dispute_won",
    "external",
    "excess",
    "excess_ended",
    "void",
    "credit",
)


class LedgerEntry(models.Model):
    """`amount_minor` is positive; the kind says what it does to the share. Holds references only, no personal data.

    capture: + captured. void: - captured, stated by the shop and taken back. reserve / release: +/- reserved.
    refund, external: + refunded. reversal: - refunded.
    dispute / dispute_won: +/- disputed. excess / excess_ended: +/- excess (facts beyond what was captured).
    UPDATE and DELETE are refused by a trigger; a correction is a counter-entry. `transaction_id` tells what a day's
    close could know of (`refunds.models.close`); filled by the database.
    """

    share = models.ForeignKey(PaymentShare, on_delete=models.PROTECT, related_name="entries")
    gateway_refund = models.ForeignKey(GatewayRefund, on_delete=models.PROTECT, null=True, db_index=False)
    kind = models.CharField(max_length=12)
    amount_minor = models.BigIntegerField()
    reference = models.CharField(max_length=200, default="", blank=True)
    occurred_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    transaction_id = models.BigIntegerField(
        db_default=models.Func(function="refundry_transaction_id", output_field=models.BigIntegerField())
    )

    class Meta:
        indexes = [
            BrinIndex(fields=["recorded_at", "transaction_id"], name="ledger_day", autosummarize=True),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=LEDGER_KINDS), name="ledger_kind_known"),
            models.CheckConstraint(condition=Q(amount_minor__gte=1), name="ledger_amount_positive"),
            models.UniqueConstraint(
                fields=["share", "kind", "reference"],
                condition=Q(gateway_refund__isnull=True) & ~Q(reference=""),
                name="ledger_outside_fact_once",
            ),
        ]
