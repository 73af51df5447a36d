"""The close of one day of one channel: sealed once, and never changed."""

from django.db import models
from django.db.models import F, Q

from orders.models import Channel


class DayClose(models.Model):
    """In it are the ledger entries of the channel that were recorded before `ends_at` by transactions below
    `transaction_horizon`, and are in no close before: those of before `starts_at` and below `from_transaction`.

    The horizon is the oldest transaction that ran when it was closed, so that all below it are known for good: the set
    never changes, and each entry is in one close and no other. What was committed too late for its day falls into the
    next. `balances` and `hash` are as in `refunds.books.sealing`. UPDATE and DELETE are refused by a trigger.
    """

    channel = models.ForeignKey(Channel, on_delete=models.PROTECT, related_name="+", db_index=False)
    day = models.DateField()
    time_zone = models.CharField(max_length=64)
    starts_at = models.DateTimeField(null=True)
    ends_at = models.DateTimeField()
    from_transaction = models.BigIntegerField()
    transaction_horizon = models.BigIntegerField()
    entries = models.BigIntegerField()
    sum_minor = models.DecimalField(max_digits=30, decimal_places=0)
    balances = models.JSONField()
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    closed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["channel", "day"], name="day_closed_once"),
            models.CheckConstraint(
                condition=Q(transaction_horizon__gte=F("from_transaction"))
                & (Q(starts_at__isnull=True) | Q(ends_at__gte=F("starts_at"))),
                name="close_goes_on",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.channel_id}/{self.day}"

    @property
    def bounds(self) -> list[str | int | None]:
        """What the seal covers besides entries and balances."""
        starts_at = self.starts_at.isoformat() if self.starts_at else None
        horizons = [self.from_transaction, self.transaction_horizon]
        return [self.channel_id, str(self.day), self.time_zone, starts_at, self.ends_at.isoformat(), *horizons]
