"""The append-only money ledger. The columns of a payment share are the sums of these entries."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Q

from orders.models import PaymentShare
from refunds.models.movement import GatewayRefund

#: What an entry of a kind does to the columns of its payment share: (column, sign).
LEDGER_COLUMNS: dict[str, tuple[tuple[str, int], ...]] = {
    "authorize": (("authorized_minor", 1),),
    "authorize_ended": (("authorized_minor", -1),),
    "capture": (("captured_minor", 1),),
    "correction": (("captured_minor", -1),),
    "reserve": (("reserved_minor", 1),),
    "release": (("reserved_minor", -1),),
    "refund": (("refunded_minor", 1),),
    "external": (("refunded_minor", 1),),
    "credit": (("refunded_minor", 1),),
    "exchange": (("refunded_minor", 1),),
    "carried": (("captured_minor", 1), ("carried_minor", 1)),
    "reversal": (("refunded_minor", -1),),
    "void": (("authorized_minor", -1),),
    "dispute": (("disputed_minor", 1),),
    "dispute_won": (("disputed_minor", -1),),
    "dispute_lost": (("disputed_minor", -1), ("refunded_minor", 1)),
    "excess": (("excess_minor", 1),),
    "excess_ended": (("excess_minor", -1),),
}
LEDGER_KINDS = tuple(LEDGER_COLUMNS)


class LedgerEntry(models.Model):
    """`amount_minor` is positive; the kind says what it does to the share. Holds references only, no personal data.

    authorize / authorize_ended: a hold of the shop's gateway begins, or ends by itself or by its capture; void: by us.
    capture / correction: captured, or stated by the shop and taken back. reserve / release: for a refund that is to
    come. refund: paid back by a gateway; external: outside of us; credit: as store credit; reversal: it came back.
    exchange: it is the money of an order that replaces the goods, whose share has carried it over (carried).
    dispute / dispute_won / dispute_lost: withheld by the customer's bank, given back, kept. excess / excess_ended: what
    facts took beyond what there was. UPDATE and DELETE are refused by a trigger; a correction is a counter-entry.
    `transaction_id` tells what a day's close could know of (`refunds.models.close`); filled by the database.
    """

    share = models.ForeignKey(PaymentShare, on_delete=models.PROTECT, related_name="entries")
    gateway_refund = models.ForeignKey(GatewayRefund, on_delete=models.PROTECT, null=True, db_index=False)
    kind = models.CharField(max_length=16)
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
