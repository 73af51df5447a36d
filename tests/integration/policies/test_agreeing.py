"""Whichever way the rules of some orders are loosened, a second person has to agree first."""

from typing import Any

import pytest

from orders.models import Channel
from refunds.declared.envelope import Declared
from refunds.models import Manifest, PolicyInForce
from refunds.services.manifests.applying import apply_manifest, approve_manifest
from refunds.services.manifests.removing import delete_manifest
from tests.factories import make_order
from tests.integration.policies.declared import AGREED, BOB, ITS_END, OPERATOR, channel, policy, said, synced

pytestmark = pytest.mark.django_db
STRICT: dict[str, Any] = {"window": {"days": 7}, "selector": {"labels": {"kind": "tv"}}}
MISSING = ("False", "Missing")


def in_force() -> list[str]:
    return sorted(PolicyInForce.objects.exclude(name="built-in").values_list("name", flat=True))


def test_a_policy_that_outranks_a_stricter_one_waits() -> None:
    policy("strict", **STRICT)
    row = policy("loose", selector=STRICT["selector"], precedence=9)
    assert said(row)["ApprovalConformant"] == MISSING and in_force() == ["strict"]
    approve_manifest("RefundPolicy", "loose", AGREED, BOB)
    synced(row)
    assert in_force() == ["loose", "strict"]


def test_one_that_is_outranked_or_for_others_does_not() -> None:
    policy("strict", **STRICT)
    policy("behind", selector=STRICT["selector"], precedence=-1)
    policy("elsewhere", selector={"labels": {"kind": "book"}}, precedence=9)
    assert in_force() == ["behind", "elsewhere", "strict"]


def test_for_fewer_orders_than_before_waits() -> None:
    policy("strict", **STRICT)
    row = policy("strict", **(STRICT | {"selector": {"labels": {"kind": "tv", "size": "xl"}}}))
    assert said(row)["ApprovalConformant"] == MISSING
    assert PolicyInForce.objects.get(name="strict").version.generation == 1


def test_its_end_waits_and_a_word_from_before_is_none() -> None:
    row = apply_manifest(Declared("RefundPolicy", "strict", STRICT), OPERATOR).manifest
    approve_manifest("RefundPolicy", "strict", AGREED, BOB)
    synced(row)
    delete_manifest("RefundPolicy", "strict", OPERATOR)
    row = synced(row)
    assert said(row) == {"ApprovalConformant": MISSING, "Terminating": ("False", "WaitsForApproval")}
    assert in_force() == ["strict"]
    approve_manifest("RefundPolicy", "strict", AGREED, BOB, seen=ITS_END)
    synced(row)
    assert in_force() == [] and not Manifest.objects.filter(pk=row.pk).exists()


def test_a_channel_that_names_a_looser_policy_waits_once_it_has_orders() -> None:
    policy("strict", window={"days": 7})
    row = channel("oak", policy="strict")
    channel("oak")
    assert Channel.objects.get(slug="oak").policy == "", "nobody has bought anything"
    channel("oak", policy="strict")
    make_order(1000, channel=Channel.objects.get(slug="oak"))
    row = channel("oak", title="Oak")
    served = Channel.objects.get(slug="oak")
    assert (served.policy, served.name, said(row)["ApprovalConformant"]) == ("strict", "Oak", MISSING)
    approve_manifest("Channel", "oak", AGREED, BOB)
    synced(row)
    assert Channel.objects.get(slug="oak").policy == ""
