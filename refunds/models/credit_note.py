"""The credit note that the shop has issued for a refund: its number comes from the shop, and stays."""

from django.db import models

from refunds.models.refund import Refund


class CreditNote(models.Model):
    """`amount_minor` is what the refund was about when the number came in, gross."""

    refund = models.OneToOneField(Refund, on_delete=models.PROTECT, related_name="credit_note", primary_key=True)
    number = models.CharField(max_length=64)
    issued_at = models.DateTimeField()
    amount_minor = models.BigIntegerField()
    recorded_at = models.DateTimeField()
    recorded_by = models.CharField(max_length=60)

    def __str__(self) -> str:
        return self.number
