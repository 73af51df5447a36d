"""The append-only audit trail: what happened to a refund, in order, chained by hash, free of personal data."""

from django.db import models

from refunds.models.refund import Refund


class RefundEvent(models.Model):
    """`hash` covers the hash before it and the event's content (`refunds.chain`); a change anywhere shows.

    `transaction_id` orders the feed of all refunds: a reader served up to the oldest running transaction misses
    nothing (filled by the database). UPDATE and DELETE are refused by a trigger.
    """

    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, related_name="events", db_index=False)
    seq = models.IntegerField()
    kind = models.CharField(max_length=48)
    data = models.JSONField(default=dict)
    actor = models.CharField(max_length=60)
    role = models.CharField(max_length=16)
    occurred_at = models.DateTimeField()
    hash = models.BinaryField()
    transaction_id = models.BigIntegerField(
        db_default=models.Func(function="refundry_transaction_id", output_field=models.BigIntegerField())
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["refund", "seq"], name="event_seq_once")]
        indexes = [models.Index(fields=["transaction_id", "id"], name="event_feed")]

    def __str__(self) -> str:
        return f"{self.refund_id}/{self.seq} {self.kind}"
