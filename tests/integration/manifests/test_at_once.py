"""Two who declare at the same moment: one after the other, and never half."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from orders.errors import NotFound, Stale
from orders.models import Channel, Principal
from orders.roles import Actor, Role
from refunds.declared.envelope import Declared
from refunds.models import Manifest, ManifestVersion
from refunds.services.manifests import applying
from refunds.services.manifests.applying import Applied, Declarer, apply_manifest, roll_back_manifest
from refunds.services.manifests.removing import delete_manifest
from tests.integration.channels.manifests import declare, look_at_what_goes, remove, served
from tests.integration.engine.threads import together
from tests.integration.policies.declared import OPERATOR
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def somebody_is_at_it() -> Iterator[None]:
    """A controller's pass that takes its time: another transaction holds the row."""
    locked, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            list(Manifest.objects.select_for_update())
            locked.set()
            let_go.wait(timeout=30)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert locked.wait(timeout=10)
        yield
    finally:
        let_go.set()
        holder.join()


def days(n: int, expected: int | None = None) -> Callable[[], Applied]:
    return lambda: apply_manifest(Declared("RefundPolicy", "p", {"window": {"days": n}}, expected=expected), OPERATOR)


def merchant() -> Declarer:
    principal = Principal.objects.create(name="A merchant", role=Role.SHOP)
    return Declarer(Actor(f"principal:{principal.pk}", Role.SHOP), {})


def versions() -> list[int]:
    return list(ManifestVersion.objects.order_by("generation").values_list("generation", flat=True))


def test_of_two_that_create_the_same_one_finds_it_unchanged() -> None:
    done = together(*[days(7)] * 4)
    assert sorted(one.what for one in done if isinstance(one, Applied)) == ["created"] + ["unchanged"] * 3
    assert (Manifest.objects.count(), versions()) == (1, [1])


def test_different_specs_are_generations_one_after_the_other() -> None:
    days(30)()
    done = together(*(days(n) for n in (1, 2, 3, 4)))
    assert [one.what for one in done if isinstance(one, Applied)] == ["configured"] * 4
    assert (Manifest.objects.get().generation, versions()) == (5, [1, 2, 3, 4, 5])


def test_of_two_who_have_seen_the_same_version_one_has_to_read_it_again() -> None:
    seen = days(30)().manifest.resource_version
    done = together(days(1, seen), days(2, seen))
    assert {type(one) for one in done} == {Applied, Stale}
    assert versions() == [1, 2]


def test_a_rollback_and_an_apply_follow_each_other() -> None:
    days(1)()
    days(2)()
    together(days(3), lambda: roll_back_manifest("RefundPolicy", "p", 1, OPERATOR))
    assert versions() == [1, 2, 3, 4]
    assert Manifest.objects.get().spec == ManifestVersion.objects.get(generation=4).spec


def test_a_removal_and_an_apply_follow_each_other() -> None:
    days(1)()
    together(days(2), lambda: delete_manifest("RefundPolicy", "p", OPERATOR))
    row = Manifest.objects.get()
    assert row.deletion_at is not None
    assert row.spec == ManifestVersion.objects.get(generation=row.generation).spec


def test_of_two_merchants_who_want_the_same_channel_one_has_it() -> None:
    one, two = merchant(), merchant()
    done = together(*(lambda by=by: apply_manifest(Declared("Channel", "shop", {}), by) for by in (one, two)))
    assert {type(result) for result in done} == {Applied, NotFound}
    assert Manifest.objects.get(name="shop").applied_by in (one.actor.reference, two.actor.reference)


def test_what_is_held_for_long_is_busy_and_not_waited_for_without_end(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(applying, "WEB_WAIT_MS", 50)
    days(7)()
    owner, at = Caller(Channel.objects.get(is_default=True), role=Role.FINANCE), "/apis/policy/p"
    body = {"apiVersion": "refundry/v1", "kind": "RefundPolicy", "metadata": {"name": "p"}, "spec": {}}
    (tmp_path / "p.json").write_text(json.dumps(body))
    with somebody_is_at_it():
        answers = [
            owner.call("PUT", at, json.dumps(body).encode(), {}),
            owner.call("DELETE", at, b"", {}),
            owner.post(f"{at}/approve", {"record": "https://x.example"}, Idempotency_Key="k"),
            owner.post(f"{at}/rollback", {"to_generation": 1}),
        ]
        assert [(answer.status, answer.code) for answer in answers] == [(503, "busy")] * 4
        assert all(answer.headers["Retry-After"] for answer in answers)
        for words in (("apply", "-f", str(tmp_path / "p.json")), ("delete", "policy/p")):
            told = StringIO()
            with pytest.raises(CommandError):
                call_command(*words, stdout=StringIO(), stderr=told)
            assert "try again" in told.getvalue()
    assert versions() == [1]


def test_of_several_that_declare_one_new_channel_by_one_key_nobody_is_told_that_it_is_not_there() -> None:
    by = merchant()
    done = together(*[lambda: apply_manifest(Declared("Channel", "race", {}), by)] * 5)
    assert sorted(one.what for one in done if isinstance(one, Applied)) == ["created"] + ["unchanged"] * 4


@pytest.mark.parametrize("_", range(4))
def test_a_channel_does_not_go_while_a_policy_that_names_it_is_written(_: int) -> None:
    """Whichever comes first: the channel stays, or the policy cannot name it any more."""
    declare("fashion")
    remove("fashion")
    mine = Declarer(Actor("principal:1", Role.SUPERVISOR), {"fashion": served("fashion").pk})
    named = Declared("RefundPolicy", "sale", {"selector": {"channels": ["fashion"]}, "window": {"days": 7}})
    done = together(lambda: apply_manifest(named, mine), lambda: look_at_what_goes("fashion"))
    wrote = Manifest.objects.filter(name="sale").exists()
    assert wrote == Channel.objects.filter(slug="fashion", retired_at=None).exists(), done
