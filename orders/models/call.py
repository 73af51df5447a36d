"""The abstract model of *the call*: one request to the outside, apart from the state of the world it is about.

Money movements, messages, parcels and intercepts all carry it; `refunds.calls` holds its one set of rules.
"""

from django.db import models


class OutsideCall(models.Model):
    """idle: nothing under way. sent: claimed, the answer is due. unknown: no answer came; ask before sending again.

    `attempt` rises with each claim and fences answers; it is never sent to anybody. Times are business UTC.
    """

    call = models.CharField(max_length=8, default="idle")
    call_kind = models.CharField(max_length=16, default="", blank=True)
    attempt = models.IntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    answer_due_at = models.DateTimeField(null=True)
    asked_at = models.DateTimeField(null=True)
    retry_at = models.DateTimeField(null=True)
    failures = models.IntegerField(default=0)
    last_error = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        abstract = True
