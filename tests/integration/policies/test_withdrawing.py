"""A removal that has not begun can be withdrawn: the policy is as it was, and its status remembers who took it back."""

from typing import Any

import pytest

from orders.errors import Conflict, Forbidden, NotFound, Stale
from orders.models import Channel
from orders.roles import Actor, Role
from refunds.models import Manifest, PolicyInForce
from refunds.selectors.manifests import tree
from refunds.services.manifests.applying import Declarer, approve_manifest
from refunds.services.manifests.removing import delete_manifest, withdraw_removal
from tests.fingerprint import fingerprint
from tests.integration.policies.declared import AGREED, BOB, ITS_END, OPERATOR, channel, policy, said, synced

pytestmark = pytest.mark.django_db
KIND = "RefundPolicy"
STRICT: dict[str, Any] = {"window": {"days": 7}, "selector": {"labels": {"kind": "tv"}}}


@pytest.fixture
def waiting() -> Manifest:
    """Its end would loosen what it is for, and nobody has agreed to it."""
    policy("strict", **STRICT)
    row = synced(delete_manifest(KIND, "strict", OPERATOR))
    assert said(row)["Terminating"] == ("False", "WaitsForApproval")
    return row


@pytest.mark.parametrize("by", [OPERATOR, BOB])
def test_it_is_as_it_was_and_who_withdrew_it_is_remembered(waiting: Manifest, by: Declarer) -> None:
    asked_at = waiting.deletion_at
    row = withdraw_removal(KIND, "strict", by)
    assert (row.deletion_at, row.deletion_by, row.finalizers) == (None, "", [])
    assert row.resource_version != waiting.resource_version and row.generation == waiting.generation
    for _ in range(2):
        row = synced(row)
        assert said(row)["Ready"] == ("True", "InForce")
        assert not {"Terminating", "ApprovalConformant"} & said(row).keys()
        [told] = tree(row)["status"]["withdrawnRemovals"]
        assert told["askedBy"] == OPERATOR.actor.reference and told["withdrawnBy"] == by.actor.reference
        assert asked_at is not None and told["askedAt"] == asked_at.isoformat().replace("+00:00", "Z")
        assert told["withdrawnAt"] >= told["askedAt"]
    assert PolicyInForce.objects.filter(name="strict").exists()
    with pytest.raises(Conflict, match="nobody has to approve"):
        approve_manifest(KIND, "strict", AGREED, BOB)


def test_what_was_agreed_to_before_is_agreed_to_again() -> None:
    policy("loose", returns={"approve": True})
    approve_manifest(KIND, "loose", AGREED, BOB)
    row = synced(Manifest.objects.get())
    before = tree(row)["status"]
    policy("strict", **STRICT)
    delete_manifest(KIND, "loose", OPERATOR)
    row = withdraw_removal(KIND, "loose", OPERATOR)
    assert (row.approval, row.approved_by, row.approved_generation) == (AGREED, BOB.actor.reference, 1)
    row = synced(row)
    assert said(row)["ApprovalConformant"] == ("True", "Approved")
    after = tree(row)["status"]
    assert {name: after[name] for name in before} == before


def test_what_is_looser_and_waits_is_not_in_force_by_being_withdrawn() -> None:
    policy("strict", **STRICT)
    policy("strict", **STRICT | {"window": {"days": 30}})
    row = synced(delete_manifest(KIND, "strict", BOB))
    row = synced(withdraw_removal(KIND, "strict", BOB))
    assert said(row)["ApprovalConformant"] == ("False", "Missing")
    assert PolicyInForce.objects.get(name="strict").version.generation == 1
    with pytest.raises(Forbidden):
        approve_manifest(KIND, "strict", AGREED, OPERATOR)


def test_once_it_is_agreed_to_and_done_it_is_too_late(waiting: Manifest) -> None:
    approve_manifest(KIND, "strict", AGREED, BOB, seen=ITS_END)
    assert withdraw_removal(KIND, "strict", OPERATOR).deletion_at is None, "its controller has not done it yet"
    delete_manifest(KIND, "strict", OPERATOR)
    assert said(synced(waiting))["Terminating"] == ("False", "WaitsForApproval"), "the word was for the one before"
    approve_manifest(KIND, "strict", AGREED, BOB, seen=ITS_END)
    synced(waiting)
    with pytest.raises(NotFound):
        withdraw_removal(KIND, "strict", OPERATOR)


def test_what_has_begun_is_not_taken_back() -> None:
    """A channel takes nothing new from the moment of its removal on."""
    channel("oak")
    delete_manifest("Channel", "oak", OPERATOR)
    before = fingerprint()
    with pytest.raises(Conflict) as refused:
        withdraw_removal("Channel", "oak", OPERATOR)
    assert refused.value.code == "removal_begun" and fingerprint() == before


def test_what_is_not_being_removed_is_told() -> None:
    policy("strict", **STRICT)
    with pytest.raises(Conflict) as refused:
        withdraw_removal(KIND, "strict", OPERATOR)
    assert refused.value.code == "not_being_removed"


def test_who_may_not_remove_it_may_not_withdraw_it_either(waiting: Manifest) -> None:
    mine = Channel.objects.create(slug="mine", name="Mine")
    before = fingerprint()
    with pytest.raises(Forbidden):
        withdraw_removal(KIND, "strict", Declarer(Actor("principal:7", Role.SHOP), {"mine": mine.pk}))
    with pytest.raises(Forbidden):
        withdraw_removal(KIND, "strict", Declarer(Actor("principal:7", Role.SUPPORT)))
    with pytest.raises(Stale):
        withdraw_removal(KIND, "strict", OPERATOR, expected=1)
    assert fingerprint() == before


def test_it_can_be_removed_and_taken_back_again_and_the_last_ones_are_remembered(waiting: Manifest) -> None:
    for _ in range(25):
        withdraw_removal(KIND, "strict", BOB)
        delete_manifest(KIND, "strict", OPERATOR)
    row = withdraw_removal(KIND, "strict", BOB)
    told = row.status["withdrawnRemovals"]
    assert len(told) == 20 and told == sorted(told, key=lambda one: one["withdrawnAt"], reverse=True)
