"""Whose a manifest is: said of one that is in hand, and of those in the table, the same."""

from itertools import product
from typing import Any

import pytest

from orders import clock
from orders.models import Channel
from refunds.models import Manifest
from refunds.selectors.manifests import manifests_page, scope_of

pytestmark = pytest.mark.django_db

SPECS: list[dict[str, Any]] = [
    {},
    {"selector": {}},
    {"selector": {"labels": {"a": "b"}}},
    *(
        {"selector": {"channels": list(named)}}
        for named in ((), ("a",), ("b",), ("a", "b"), ("a", "gone"), ("unborn",))
    ),
]
BOUND = [(), ("a",), ("a", "b"), ("a", "b", "default"), ("gone",)]


@pytest.mark.parametrize("bound", [None, *BOUND], ids=str)
def test_one_in_hand_and_those_in_the_table_are_judged_alike(bound: tuple[str, ...] | None) -> None:
    now = clock.now()
    made = {slug: Channel.objects.create(slug=slug, name=slug) for slug in ("a", "b", "gone")}
    Channel.objects.filter(slug="gone").update(retired_at=now)
    made["default"] = Channel.objects.get(is_default=True)
    written = [("RefundPolicy", f"p{n}", spec) for n, spec in enumerate(SPECS)]
    written += [("Channel", slug, {}) for slug in (*made, "unborn")]
    for kind, name, spec in written:
        Manifest.objects.create(kind=kind, name=name, spec=spec, applied_by="x", created_at=now, updated_at=now)
    channels = None if bound is None else {slug: made[slug].pk for slug in bound}
    scope = scope_of(channels)
    for kind in ("RefundPolicy", "Channel"):
        listed = {row.name for row in manifests_page(kind, channels=channels, labels={})}
        assert listed == {row.name for row in Manifest.objects.filter(kind=kind) if scope.sees(row)}


def test_who_has_what() -> None:
    """Whom a channel is opened for by its own key has a part of it; the rest need not have it."""
    a, b = (Channel.objects.create(slug=slug, name=slug) for slug in ("a", "b"))
    everything = {"a": a.pk, "b": b.pk, "default": Channel.objects.get(is_default=True).pk}
    for bound, spec in product((everything, {"a": a.pk}), SPECS):
        named = set(spec.get("selector", {}).get("channels", ()))
        scope, row = scope_of(bound), Manifest(kind="RefundPolicy", name="p", spec=spec)
        has = named <= bound.keys() if named else bound == everything
        assert scope.has(named) == scope.may_change(row) == has
        assert scope.sees(row) == (not named or bool(named & bound.keys()))
