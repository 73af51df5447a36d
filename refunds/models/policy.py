"""Immutable versions of refund policies; each refund is pinned to one (`refunds.policy.PolicySpec` reads it)."""

from typing import Any

from django.db import models

from refunds.policy import PolicySpec


class PolicyVersion(models.Model):
    name = models.SlugField(max_length=60)
    generation = models.IntegerField()
    spec = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "generation"], name="policy_generation_once")]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """A rule that cannot be followed is refused here (TypeError, ValueError), not when a refund meets it."""
        PolicySpec.from_json(self.spec)
        super().save(*args, **kwargs)

    def __str__(self) -> str:
        return f"{self.name}/{self.generation}"
