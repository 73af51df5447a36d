"""How far the nightly check of the ledger is."""

from django.db import models


class LedgerCheck(models.Model):
    """One row. Shares up to `after_id` have been checked in this round; the next one begins at `next_at`."""

    after_id = models.BigIntegerField(default=0)
    next_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"after {self.after_id}"
