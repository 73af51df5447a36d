"""What merchants have declared, in versions, and what holds of it now (`refunds.declared` reads and judges it)."""

import uuid

from django.db import models
from django.db.models import F, Q

from refunds.declared.envelope import KINDS


class Manifest(models.Model):
    """One object. `uid` is of this life of its name: removed and declared again, it is another one.

    `generation` moves with the spec, `resource_version` with all that people want of it: spec, labels, annotations and
    that it is to go; it is a number of its own over all manifests and all times. `status` is what its controller has
    found beside the conditions. `applied_by` wrote the spec as it stands; `approval`, `approved_by` and
    `approved_generation` are the word of a second person. `deletion_at`: it is to go, says `deletion_by`, and does once
    its `finalizers` have let go. `next_reconcile_at` is its clock, null while nothing is due; `failures` counts syncs
    that raised.
    """

    kind = models.CharField(max_length=16)
    name = models.CharField(max_length=60)
    uid = models.UUIDField(default=uuid.uuid4, editable=False)
    labels = models.JSONField(default=dict, blank=True)
    annotations = models.JSONField(default=dict, blank=True)
    spec = models.JSONField()
    generation = models.IntegerField(default=1)
    resource_version = models.BigIntegerField(default=1)
    observed_generation = models.IntegerField(default=0)
    conditions = models.JSONField(default=list)
    status = models.JSONField(default=dict)
    applied_by = models.CharField(max_length=60)
    approval = models.CharField(max_length=500, default="", blank=True)
    approved_by = models.CharField(max_length=60, default="", blank=True)
    approved_generation = models.IntegerField(default=0)
    finalizers = models.JSONField(default=list)
    deletion_at = models.DateTimeField(null=True)
    deletion_by = models.CharField(max_length=60, default="", blank=True)
    next_reconcile_at = models.DateTimeField(null=True)
    failures = models.IntegerField(default=0)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "name"], name="manifest_name_once"),
            models.CheckConstraint(condition=Q(kind__in=KINDS), name="manifest_kind_known"),
            models.CheckConstraint(
                condition=Q(generation__gte=F("observed_generation")), name="manifest_observed_within_generation"
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_reconcile_at", "id"],
                condition=Q(next_reconcile_at__isnull=False),
                name="manifest_due",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"

    @property
    def asked_by(self) -> str:
        """Who asked for what may wait for a second person: its end, or else the spec as it stands."""
        return self.deletion_by if self.deletion_at else self.applied_by


class ManifestVersion(models.Model):
    """The spec of one generation, for ever: it is inserted and never changed. It outlives its manifest."""

    kind = models.CharField(max_length=16)
    name = models.CharField(max_length=60)
    uid = models.UUIDField()
    generation = models.IntegerField()
    spec = models.JSONField()
    applied_by = models.CharField(max_length=60)
    applied_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["uid", "generation"], name="manifest_generation_once")]


class HeldName(models.Model):
    """A name of one scope that one channel has; whoever inserts it first (`refunds.declared.names`)."""

    manifest = models.ForeignKey(Manifest, on_delete=models.CASCADE, related_name="names")
    scope = models.CharField(max_length=20)
    value = models.CharField(max_length=255)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scope", "value"], name="name_held_once")]


class WebProcess(models.Model):
    """A web process that serves channels: which it has loaded ({slug: generation}), and when it was last heard of."""

    name = models.CharField(max_length=100)
    loaded = models.JSONField(default=dict)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name"], name="web_process_once")]
