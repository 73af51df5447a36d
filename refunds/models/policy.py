"""Immutable versions of refund policies; each refund is pinned to one (`refunds.policy.PolicySpec` reads it)."""

from typing import Any

from django.db import models

from refunds.policy import PolicySpec


class PolicyVersion(models.Model):
    """`uid` is of the manifest that it came from, null for the built-in policy: one that was removed and declared again
    under its name begins anew. `selector` ({labels, channels}; null: only where a channel names it) and `precedence`
    say for which orders it is (`refunds.declared.choosing`).
    """

    name = models.SlugField(max_length=60)
    uid = models.UUIDField(null=True, editable=False)
    generation = models.IntegerField()
    spec = models.JSONField()
    selector = models.JSONField(null=True)
    precedence = models.IntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["name", "uid", "generation"], name="policy_generation_once", nulls_distinct=False
            ),
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """A rule that cannot be followed is refused here (TypeError, ValueError), not when a refund meets it."""
        PolicySpec.from_json(self.spec)
        super().save(*args, **kwargs)

    def __str__(self) -> str:
        return f"{self.name}/{self.generation}"


class PolicyInForce(models.Model):
    """Of each policy, the version that new refunds are pinned to."""

    name = models.SlugField(max_length=60)
    version = models.ForeignKey(PolicyVersion, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name"], name="policy_one_in_force")]
