"""What the customer and customer service write to each other about a refund. Personal, so apart from the events."""

from django.db import models

from refunds.models.refund import Refund


class CaseMessage(models.Model):
    """`author` is the reference of who wrote it down, `role` of who speaks: `customer` where an agent wrote it for him.
    Written once, never changed."""

    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, related_name="thread")
    author = models.CharField(max_length=60)
    role = models.CharField(max_length=16)
    text = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=~models.Q(text=""), name="case_message_says_something")]

    def __str__(self) -> str:
        return f"{self.author} on {self.refund_id}"
