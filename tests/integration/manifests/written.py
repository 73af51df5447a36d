"""Manifests as merchants write them."""

from typing import Any


def policy(name: str = "fresh", *, labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    """A policy of the merchant's channel."""
    return manifest("RefundPolicy", name, labels, {"selector": {"channels": ["mine"]}} | spec)


def channel(name: str = "mine", **spec: Any) -> dict[str, Any]:
    return manifest("Channel", name, None, spec)


def manifest(kind: str, name: str, labels: dict[str, str] | None, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": name} | ({"labels": labels} if labels else {})
    return {"apiVersion": "refundry/v1", "kind": kind, "metadata": metadata, "spec": spec}
