"""A change of where a refund's money goes: asked for, proved by a code where one is needed, done or dropped."""

from django.db import models
from django.db.models import Q

from orders.models.machine import state_check
from refunds.destinations import Instrument
from refunds.models.refund import Refund


class TargetChange(models.Model):
    """At most one of a refund is open: neither `confirmed_at` nor `ended_at` is set.

    `payee` is what the account knows the payee by, personal as his name is, and stands here and on the movements alone.
    `proof`: where the customer's consent is. The code follows from `code_salt` and a secret that is not in any row; it
    goes to `code_to`, as it was known when it was asked for. `trials`: how often a wrong code was entered.
    """

    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, related_name="target_changes")
    instrument = models.CharField(max_length=12)
    account = models.CharField(max_length=60, default="", blank=True)
    payee = models.CharField(max_length=100, default="", blank=True)
    payee_name = models.CharField(max_length=200, default="", blank=True)
    proof = models.CharField(max_length=200, default="", blank=True)
    asked_by = models.CharField(max_length=60)
    asked_at = models.DateTimeField()
    code_salt = models.CharField(max_length=32, default="", blank=True)
    code_channel = models.CharField(max_length=8, default="", blank=True)
    code_to = models.CharField(max_length=254, default="", blank=True)
    code_expires_at = models.DateTimeField(null=True)
    trials = models.IntegerField(default=0)
    confirmed_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            state_check("instrument", Instrument, name="target_instrument_known"),
            models.UniqueConstraint(
                fields=["refund"],
                condition=Q(confirmed_at__isnull=True, ended_at__isnull=True),
                name="target_one_open",
            ),
            models.CheckConstraint(
                condition=Q(confirmed_at__isnull=True) | Q(ended_at__isnull=True), name="target_done_or_dropped"
            ),
            models.CheckConstraint(
                condition=Q(code_channel="", code_expires_at__isnull=True)
                | (Q(code_channel__in=["sms", "email"], code_expires_at__isnull=False) & ~Q(code_salt="")),
                name="target_code_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.instrument} of {self.refund_id}"
