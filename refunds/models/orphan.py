"""What a gateway or a courier has and nobody here asked for, and how far each gateway's own list was read."""

from django.db import models
from django.db.models import Q


class OrphanState(models.TextChoices):
    """open: to be looked at. adopted: its money is in the ledger of the payment. foreign: of a payment, or under a
    number, that is not ours. called_off: no courier comes. stands: the courier would not call it off."""

    OPEN = "open"
    ADOPTED = "adopted"
    FOREIGN = "foreign"
    CALLED_OFF = "called_off"
    STANDS = "stands"


class OrphanKind(models.TextChoices):
    REFUND = "refund"
    PICKUP = "pickup"
    DISPUTE = "dispute"


class Orphan(models.Model):
    """A refund by the gateway's id, or a pickup by its waybill: one row for each, which is why nothing counts twice.

    `status` is what was said of it last, and of a refund it only rises. One that turns out to be in the books of its
    own refund is deleted. `failures` counts looks that settled nothing.
    """

    kind = models.CharField(max_length=8, choices=OrphanKind)
    account = models.CharField(max_length=60)
    reference = models.CharField(max_length=200)
    number = models.CharField(max_length=200, default="", blank=True)
    payment_reference = models.CharField(max_length=200, default="", blank=True)
    status = models.CharField(max_length=12)
    amount_minor = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=200, default="", blank=True)
    state = models.CharField(max_length=12, choices=OrphanState, default=OrphanState.OPEN)
    next_reconcile_at = models.DateTimeField(null=True)
    failures = models.IntegerField(default=0)
    last_error = models.CharField(max_length=200, default="", blank=True)
    reported_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "reference"], name="orphan_once"),
            models.CheckConstraint(condition=Q(kind__in=OrphanKind.values), name="orphan_kind_known"),
            models.CheckConstraint(condition=Q(state__in=OrphanState.values), name="orphan_state_known"),
            models.CheckConstraint(
                condition=~Q(state="open") | Q(next_reconcile_at__isnull=False), name="orphan_open_has_a_clock"
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_reconcile_at", "id"], condition=Q(next_reconcile_at__isnull=False), name="orphan_due"
            ),
            models.Index(
                fields=["account", "payment_reference"], condition=Q(state="foreign"), name="orphan_payment_unknown"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.account}:{self.reference}"


class GatewayScan(models.Model):
    """How far an account's list has been read: pages from `cursor` on of all that was made `since`.

    `window_at` is when the first page of this round was asked for. `claims` rises with each page that is asked for:
    only the last one who claimed may write. `next_scan_at`: when somebody may ask again, or ask in his stead.
    """

    account = models.CharField(max_length=60)
    since = models.DateTimeField()
    cursor = models.TextField(default="", blank=True)
    window_at = models.DateTimeField(null=True)
    claims = models.BigIntegerField(default=0)
    next_scan_at = models.DateTimeField()
    failures = models.IntegerField(default=0)
    last_error = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["account"], name="scan_once_per_account")]

    def __str__(self) -> str:
        return self.account
