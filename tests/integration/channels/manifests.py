"""Channels as an operator declares them, and passes of their controller in the test's hands."""

from datetime import timedelta
from typing import Any

from orders import clock
from orders.models import Channel
from orders.roles import SYSTEM
from refunds.declared.channel_rules import KIND
from refunds.declared.envelope import Declared
from refunds.models import Manifest, WebProcess
from refunds.services.manifests.applying import Declarer, apply_manifest
from refunds.services.manifests.removing import delete_manifest
from refunds.services.manifests.serving import load_registry
from refunds.services.manifests.syncing import sync_manifest

OPERATOR = Declarer(SYSTEM)


def declare(slug: str, **spec: Any) -> Manifest:
    """Applied, and looked at once."""
    apply_manifest(Declared(KIND, slug, spec), OPERATOR)
    return look(slug)


def look(slug: str) -> Manifest:
    """One pass of the controller; the manifest as it is then."""
    sync_manifest(Manifest.objects.get(name=slug).pk)
    return Manifest.objects.get(name=slug)


def remove(slug: str) -> Manifest:
    return delete_manifest(KIND, slug, OPERATOR)


def look_at_what_goes(slug: str) -> bool:
    """One pass; whether it is gone."""
    sync_manifest(Manifest.objects.get(name=slug).pk)
    return not Manifest.objects.filter(name=slug).exists()


def said(manifest: Manifest, kind: str) -> tuple[str, str]:
    """Status and reason of a condition."""
    [found] = [c for c in manifest.conditions if c["type"] == kind]
    return found["status"], found["reason"]


def holds(manifest: Manifest) -> dict[str, list[str]]:
    return manifest.status["acceptedNames"]


def served(slug: str) -> Channel:
    load_registry()
    return Channel.objects.get(slug=slug, retired_at=None)


def web_process(name: str, loaded: dict[str, int], *, seen_ago: float = 0.0) -> WebProcess:
    """Another web process than this one, as it was last heard of."""
    now = clock.now()
    seen_at = now - timedelta(seconds=seen_ago)
    process, _ = WebProcess.objects.update_or_create(
        name=name,
        defaults={"loaded": loaded, "seen_at": seen_at},
        create_defaults={"loaded": loaded, "seen_at": seen_at, "started_at": now},
    )
    return process
