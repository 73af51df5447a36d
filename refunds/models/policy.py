"""Immutable versions of refund policies; each refund is pinned to one (`refunds.policy.PolicySpec` reads it)."""

from django.db import models


class PolicyVersion(models.Model):
    name = models.SlugField(max_length=60)
    generation = models.IntegerField()
    spec = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "generation"], name="policy_generation_once")]

    def __str__(self) -> str:
        return f"{self.name}/{self.generation}"
