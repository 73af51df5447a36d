"""Manifests applied in a test, and made true by their controller."""

from typing import Any

from orders.roles import Actor, Role
from refunds.declared.envelope import Declared
from refunds.models import Manifest
from refunds.services.manifests.applying import Declarer, Seen, apply_manifest
from refunds.services.manifests.syncing import sync_manifest

OPERATOR = Declarer(Actor("operator:ann", Role.SYSTEM))
BOB = Declarer(Actor("operator:bob", Role.SYSTEM))
AGREED = "https://tickets.example/REF-1"
ITS_END = Seen(removal=True)


def apply(kind: str, name: str, spec: dict[str, Any], by: Declarer = OPERATOR) -> Manifest:
    """Apply it and let its controller look at it once."""
    row = apply_manifest(Declared(kind, name, spec), by).manifest
    return synced(row)


def policy(name: str, by: Declarer = OPERATOR, **spec: Any) -> Manifest:
    return apply("RefundPolicy", name, spec, by)


def channel(name: str, by: Declarer = OPERATOR, **spec: Any) -> Manifest:
    return apply("Channel", name, spec, by)


def synced(row: Manifest) -> Manifest:
    """After one more pass; as it was where that was its end."""
    sync_manifest(row.pk)
    return Manifest.objects.filter(pk=row.pk).first() or row


def said(row: Manifest) -> dict[str, tuple[str, str]]:
    """Its conditions: status and reason by type."""
    return {c["type"]: (c["status"], c["reason"]) for c in row.conditions}
