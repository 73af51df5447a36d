"""The controller of policies: what is wrong is said, what is looser waits for a second person, what is good comes into
force."""

from typing import Any

import pytest

from orders.errors import Conflict, Forbidden, Invalid, NotFound, Stale
from orders.models import Channel
from orders.roles import Actor, Role
from refunds.declared.envelope import Declared
from refunds.models import Manifest, ManifestVersion, PolicyInForce
from refunds.records import counted
from refunds.services.manifests.applying import Applied, Declarer, Seen, apply_manifest, approve_manifest
from refunds.services.manifests.removing import delete_manifest
from tests.integration.policies.declared import AGREED, BOB, OPERATOR, policy, said, synced

pytestmark = pytest.mark.django_db

STRICT: dict[str, Any] = {"window": {"days": 7}}


def in_force(name: str = "p") -> int | None:
    held = PolicyInForce.objects.filter(name=name).select_related("version").first()
    return held.version.generation if held else None


def applied(spec: dict[str, Any], by: Declarer = OPERATOR, **parts: Any) -> Applied:
    return apply_manifest(Declared("RefundPolicy", "p", spec, **parts), by)


def test_a_good_policy_comes_into_force() -> None:
    row = policy("p", **STRICT)
    assert in_force() == 1
    assert row.observed_generation == 1
    assert said(row) == {
        "Available": ("True", "InForce"),
        "Progressing": ("False", "Complete"),
        "Ready": ("True", "InForce"),
    }


def test_applied_again_nothing_changes() -> None:
    row = policy("p", **STRICT)
    before = Manifest.objects.values().get(pk=row.pk)
    assert applied(STRICT).what == "unchanged"
    synced(row)
    after = Manifest.objects.values().get(pk=row.pk)
    assert {k: v for k, v in after.items() if k != "next_reconcile_at"} == {
        k: v for k, v in before.items() if k != "next_reconcile_at"
    }


def test_the_spec_moves_the_generation_and_labels_do_not() -> None:
    policy("p", **STRICT)
    labelled = applied(STRICT, labels={"team": "a"})
    assert (labelled.what, labelled.manifest.generation) == ("configured", 1)
    assert applied({"window": {"days": 6}}, labels={"team": "a"}).manifest.generation == 2
    assert list(ManifestVersion.objects.order_by("generation").values_list("generation", flat=True)) == [1, 2]


def test_a_dry_run_says_what_would_be_and_writes_nothing() -> None:
    assert apply_manifest(Declared("RefundPolicy", "p", STRICT), OPERATOR, dry_run=True).what == "created"
    assert not Manifest.objects.exists() and not ManifestVersion.objects.exists()


def test_what_cannot_be_read_is_refused_and_nothing_is_stored() -> None:
    with pytest.raises(Invalid) as refused:
        applied({"clocks": {"revue": "2d"}, "window": {"days": "x"}})
    assert [e.field for e in refused.value.errors] == ["spec.clocks.revue", "spec.window.days"]
    assert not Manifest.objects.exists()


def test_violations_are_all_said_and_the_last_good_version_stays() -> None:
    policy("p", **STRICT)
    row = policy("p", window={"days": 7}, clocks={"review": "0s", "offer": "0s"})
    assert in_force() == 1
    assert said(row)["RulesViolation"] == ("True", "Violations")
    assert said(row)["Ready"] == ("False", "NotInForce")
    message = next(c["message"] for c in row.conditions if c["type"] == "RulesViolation")
    assert "spec.clocks.review" in message and "spec.clocks.offer" in message
    mended = policy("p", window={"days": 6})
    assert in_force() == 3 and "RulesViolation" not in said(mended)


def test_a_policy_that_was_never_good_is_not_available() -> None:
    row = policy("p", clocks={"review": "0s"})
    assert in_force() is None
    assert said(row)["Available"] == ("False", "NothingInForce")


def test_what_loosens_a_rule_waits_for_a_second_person() -> None:
    policy("p", **STRICT)
    row = policy("p", window={"days": 30})
    assert (in_force(), said(row)["ApprovalConformant"]) == (1, ("False", "Missing"))
    assert "window.days" in next(c["message"] for c in row.conditions if c["type"] == "ApprovalConformant")
    with pytest.raises(Forbidden, match="another person"):
        approve_manifest("RefundPolicy", "p", AGREED, OPERATOR)
    assert said(synced(row))["ApprovalConformant"] == ("False", "Missing") and in_force() == 1
    approve_manifest("RefundPolicy", "p", AGREED, BOB)
    assert said(synced(row))["ApprovalConformant"] == ("True", "Approved") and in_force() == 2


def test_a_word_is_for_one_generation() -> None:
    policy("p", **STRICT)
    row = policy("p", window={"days": 30})
    approve_manifest("RefundPolicy", "p", AGREED, BOB)
    row = policy("p", window={"days": 60})
    assert (in_force(), said(row)["ApprovalConformant"]) == (1, ("False", "Missing"))


def test_it_is_judged_anew_when_the_word_changes_and_not_rewritten_when_it_does_not() -> None:
    """Check 62 (no upstream test)."""
    policy("p", **STRICT)
    row = policy("p", window={"days": 30})
    approve_manifest("RefundPolicy", "p", AGREED, BOB)
    synced(row)
    before = synced(row)
    assert said(before)["ApprovalConformant"] == ("True", "Approved")
    assert synced(row).resource_version == before.resource_version


def test_a_pass_that_compares_nothing_waits_for_no_other() -> None:
    """What governs orders is compared by one pass after the other; most passes compare nothing."""

    def waits(row: Manifest) -> bool:
        with counted() as statements:
            synced(row)
        return any("advisory" in statement for statement in statements)

    row = policy("p", **STRICT)
    assert not waits(row)
    applied({"window": {"days": 6}})
    assert waits(row) and not waits(row)
    delete_manifest("RefundPolicy", "p", OPERATOR)
    assert waits(row)


def test_who_may_bypass_says_why_and_others_cannot() -> None:
    row = policy("p", returns={"approve": True})
    assert in_force() is None
    with pytest.raises(Forbidden):
        approve_manifest("RefundPolicy", "p", "unapproved: alone", Declarer(Actor("principal:1", Role.SUPERVISOR)))
    approve_manifest("RefundPolicy", "p", "unapproved: one-person shop", OPERATOR)
    assert said(synced(row))["ApprovalConformant"] == ("False", "Bypassed") and in_force() == 1


def test_the_generation_that_was_seen_is_the_one_that_is_approved() -> None:
    policy("p", **STRICT)
    policy("p", window={"days": 30})
    with pytest.raises(Conflict, match="generation 2"):
        approve_manifest("RefundPolicy", "p", AGREED, BOB, seen=Seen(generation=1))


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.WAREHOUSE, Role.AUDITOR, Role.CUSTOMER])
def test_who_may_not_declare(role: Role) -> None:
    with pytest.raises(Forbidden):
        applied(STRICT, Declarer(Actor("principal:1", role), {"default": 1}))


def test_another_version_was_seen() -> None:
    row = policy("p", **STRICT)
    with pytest.raises(Stale):
        applied({"window": {"days": 6}}, expected=row.resource_version - 1)
    assert applied({"window": {"days": 6}}, expected=row.resource_version).what == "configured"
    with pytest.raises(Stale):
        apply_manifest(Declared("RefundPolicy", "gone", {}, expected=3), OPERATOR)
    assert not Manifest.objects.filter(name="gone").exists()


def test_a_policy_is_of_those_whose_orders_it_is_for() -> None:
    mine = Channel.objects.create(slug="mine", name="Mine")
    me = Declarer(Actor("principal:1", Role.SHOP), {"mine": mine.pk})
    with pytest.raises(Forbidden, match=r"spec.selector.channels"):
        applied(STRICT, me)
    own = STRICT | {"selector": {"channels": ["mine"]}}
    assert applied(own, me).what == "created"
    with pytest.raises(Forbidden):
        applied(STRICT | {"selector": {"channels": ["mine", "default"]}}, me)
    policy("p", **(STRICT | {"selector": {"channels": ["default"]}}))
    with pytest.raises(Forbidden):
        applied(own, me)
    with pytest.raises(NotFound):
        delete_manifest("Channel", "default", Declarer(Actor("principal:1", Role.SHOP), {"mine": mine.pk}))


def test_the_built_in_policy_is_nobodys_to_declare() -> None:
    with pytest.raises(Conflict):
        apply_manifest(Declared("RefundPolicy", "built-in", {}), OPERATOR)


def test_removed_it_is_gone_and_declared_again_it_begins_anew() -> None:
    row = policy("p", **STRICT)
    delete_manifest("RefundPolicy", "p", OPERATOR)
    delete_manifest("RefundPolicy", "p", OPERATOR)
    synced(row)
    assert in_force() is None and not Manifest.objects.exists()
    again = policy("p", **STRICT)
    assert (again.uid != row.uid, again.generation, in_force()) == (True, 1, 1)


def test_a_shop_s_own_key_does_not_say_where_money_calls_go() -> None:
    own = Channel.objects.create(slug="own", name="Own")
    bank = {"name": "bank", "adapter": "http", "baseUrl": "https://bank.example", "secret": "env:SHOP_OWN__BANK"}
    for role, may in ((Role.SHOP, False), (Role.FINANCE, True)):
        by = Declarer(Actor("principal:1", role), {"own": own.pk})
        declared = Declared("Channel", "own", {"accounts": [bank]})
        if may:
            assert apply_manifest(declared, by).what == "created"
        else:
            with pytest.raises(Forbidden, match="spec.accounts"):
                apply_manifest(declared, by)
    shop = Declarer(Actor("principal:1", Role.SHOP), {"own": own.pk})
    assert apply_manifest(Declared("Channel", "own", {"accounts": [bank], "title": "Own"}), shop).what == "configured"


def test_a_selector_of_a_channel_that_is_not_there_is_said() -> None:
    row = policy("p", **(STRICT | {"selector": {"channels": ["nowhere"]}}))
    assert said(row)["ChannelsFound"] == ("False", "NoSuchChannel")
    Channel.objects.create(slug="nowhere", name="Somewhere")
    assert "ChannelsFound" not in said(synced(row))


@pytest.mark.parametrize(
    "record", ["hello", "javascript:alert(1)", "unapproved", "unapproved: ", "https://[::1", "", "a\0b"]
)
def test_a_word_that_says_nothing_is_refused_and_leaves_a_good_one(record: str) -> None:
    policy("p", **STRICT)
    row = policy("p", window={"days": 30})
    approve_manifest("RefundPolicy", "p", AGREED, BOB)
    with pytest.raises(Invalid) as refused:
        approve_manifest("RefundPolicy", "p", record, BOB)
    assert [(e.field, e.code) for e in refused.value.errors] == [("record", "bad_record")]
    assert Manifest.objects.get(pk=row.pk).approval == AGREED
