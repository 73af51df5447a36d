"""Who may call: principals with a role and channels, their hashed keys, and the answers kept for repeated requests."""

from django.conf import settings
from django.db import models

from orders.models.channel import Channel
from orders.models.machine import state_check
from orders.roles import Role


class Principal(models.Model):
    """The author of acts. Bound to channels: what lies outside them answers 404, as if it did not exist.

    One with a `user` can log in to the console, and acts there with the same role and channels. `left_at`: he does not
    work here any more, as `left_by` says; what he did stays his.
    """

    name = models.CharField(max_length=200)
    role = models.CharField(max_length=16)
    channels = models.ManyToManyField(Channel, related_name="principals")
    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True)
    left_at = models.DateTimeField(null=True, blank=True)
    left_by = models.CharField(max_length=60, default="", blank=True)

    class Meta:
        constraints = [state_check("role", Role, name="principal_role_known")]

    def __str__(self) -> str:
        return f"{self.name} ({self.role})"


class ApiKey(models.Model):
    """`prefix.secret`; only a SHA-512 digest of the whole is kept, so a stolen database opens no door."""

    principal = models.ForeignKey(Principal, on_delete=models.PROTECT, related_name="keys")
    prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=128)
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["prefix"], name="key_prefix_once")]


class IdempotencyRecord(models.Model):
    """The stored answer of a POST, written in the transaction of the work it answers for."""

    principal = models.ForeignKey(Principal, on_delete=models.PROTECT, db_index=False)
    method = models.CharField(max_length=8)
    path = models.CharField(max_length=500)
    key = models.CharField(max_length=255)
    body_digest = models.CharField(max_length=64)
    status = models.IntegerField()
    answer = models.JSONField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["principal", "method", "path", "key"], name="idempotency_key_once")
        ]
