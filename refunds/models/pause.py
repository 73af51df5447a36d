"""A queue that an operator has stopped."""

from django.db import models


class PausedQueue(models.Model):
    """Kept here and not in Redis alone: an emptied Redis must not start what a person has stopped."""

    name = models.CharField(max_length=40)
    paused_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name"], name="queue_paused_once")]

    def __str__(self) -> str:
        return self.name
