"""What hangs on another manifest looks again when that one comes, goes, or holds: by key, by clock, and in any case."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from orders import clock
from refunds.models import Manifest, WebProcess
from refunds.services.manifests.applying import approve_manifest
from refunds.services.manifests.removing import delete_manifest
from refunds.services.manifests.syncing import RESYNC_SECONDS
from tests.integration.policies.declared import AGREED, BOB, ITS_END, OPERATOR, channel, policy, said, synced
from workers.reconcilers.manifests import ManifestReconciler

pytestmark = pytest.mark.django_db(transaction=True)
FOUND, LOST = ("True", "InForce"), ("False", "NotInForce")


@pytest.fixture(autouse=True)
def web() -> Iterator[None]:
    """One web process that has loaded the channel: nothing else is in the way of Ready."""
    now = clock.now()
    WebProcess.objects.create(name="web", loaded={"oak": 1}, started_at=now, seen_at=now + timedelta(hours=1))
    yield


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    keys: list[str] = []
    monkeypatch.setattr("refunds.services.wakes.wake", lambda queue, ids: keys.extend(ids))
    return keys


def due() -> list[str]:
    """What a sweep finds: every wake-up may have been lost."""
    return ManifestReconciler().due(100)


def gone(row: Manifest) -> None:
    """Agreed to by a second person where it loosens something."""
    delete_manifest(row.kind, row.name, OPERATOR)
    if said(synced(row)).get("ApprovalConformant"):
        approve_manifest(row.kind, row.name, AGREED, BOB, seen=ITS_END)
        synced(row)
    assert not Manifest.objects.filter(pk=row.pk).exists()


def test_a_channel_says_so_when_its_policy_is_gone(woken: list[str]) -> None:
    rules = policy("books", window={"days": 7})
    oak = channel("oak", policy="books")
    assert (said(oak)["PolicyFound"], said(oak)["Ready"][0]) == (FOUND, "True")
    woken.clear()
    gone(rules)
    assert str(oak.pk) in woken and due() == [str(oak.pk)]
    oak = synced(oak)
    assert (said(oak)["PolicyFound"], said(oak)["Ready"]) == (LOST, ("False", "NotReady"))


@pytest.mark.parametrize("agreed", [False, True])
def test_a_channel_says_so_when_its_policy_comes_into_force(woken: list[str], agreed: bool) -> None:
    """At once, or when a second person has agreed to it."""
    oak = channel("oak", policy="books")
    assert said(oak)["PolicyFound"] == LOST
    Manifest.objects.update(next_reconcile_at=None)
    rules = policy("books", **({"returns": {"approve": True}} if agreed else {"window": {"days": 7}}))
    if agreed:
        assert str(oak.pk) not in due(), "it does not hold yet"
        approve_manifest("RefundPolicy", "books", AGREED, BOB)
        synced(rules)
    assert str(oak.pk) in woken and str(oak.pk) in due()
    assert said(synced(oak))["PolicyFound"] == FOUND


def test_others_are_left_alone(woken: list[str]) -> None:
    pine = channel("pine", policy="toys")
    Manifest.objects.update(next_reconcile_at=None)
    woken.clear()
    gone(policy("books", window={"days": 7}))
    assert str(pine.pk) not in woken and due() == []


def test_a_policy_says_so_when_a_channel_that_it_is_for_comes(woken: list[str]) -> None:
    rules = policy("books", selector={"channels": ["oak"]}, window={"days": 7})
    assert said(rules)["ChannelsFound"] == ("False", "NoSuchChannel")
    Manifest.objects.update(next_reconcile_at=None)
    channel("oak")
    assert str(rules.pk) in woken and str(rules.pk) in due()
    assert "ChannelsFound" not in said(synced(rules))


@pytest.mark.parametrize("make", [lambda: policy("books", window={"days": 7}), lambda: channel("oak")])
def test_whatever_was_missed_each_is_looked_at_again(make: Callable[[], Manifest]) -> None:
    """Also where somebody else had its row just when it was to be woken."""
    row = make()
    Manifest.objects.filter(pk=row.pk).update(updated_at=clock.now() - timedelta(hours=1))
    row = synced(row)
    assert row.next_reconcile_at is not None
    assert row.next_reconcile_at <= clock.now() + timedelta(seconds=RESYNC_SECONDS)
