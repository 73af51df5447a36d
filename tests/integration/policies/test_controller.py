"""The controller of manifests on the runtime: a batch, a pass that raises, a row that another pass holds, the sweep."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from orders import clock
from refunds.declared.envelope import Declared
from refunds.models import Manifest
from refunds.services.manifests import policies, syncing
from refunds.services.manifests.applying import apply_manifest
from tests.integration.policies.declared import OPERATOR, policy, said
from workers.reconcilers.manifests import ManifestReconciler
from workers.room import Room
from workers.workqueue import Lease, OutcomeKind

pytestmark = pytest.mark.django_db(transaction=True)
STRICT: dict[str, Any] = {"window": {"days": 7}}


@pytest.fixture
def reconciler() -> ManifestReconciler:
    return ManifestReconciler()


def lease(*rows: Manifest) -> list[Lease]:
    return [Lease("manifests", str(row.pk), "token") for row in rows]


def applied(name: str, spec: dict[str, Any]) -> Manifest:
    """Not looked at yet."""
    return apply_manifest(Declared("RefundPolicy", name, spec), OPERATOR).manifest


def begin(reconciler: ManifestReconciler, *rows: Manifest) -> Any:
    return reconciler.begin(lease(*rows), Room(8, lambda: 8))


@contextmanager
def held(row: Manifest) -> Iterator[None]:
    """Another pass has the row."""
    locked, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                Manifest.objects.select_for_update().get(pk=row.pk)
                locked.set()
                assert let_go.wait(timeout=30)
        finally:
            connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        assert locked.wait(timeout=30)
        yield
    finally:
        let_go.set()
        thread.join()


def test_each_of_a_batch_is_made_true(reconciler: ManifestReconciler) -> None:
    rows = [applied("a", STRICT), applied("b", {"clocks": {"review": "0s"}})]
    begun = begin(reconciler, *rows)
    assert set(begun.outcomes) == {str(row.pk) for row in rows}
    a, b = Manifest.objects.order_by("name")
    assert (said(a)["Ready"][0], said(b)["Ready"][0]) == ("True", "False")


def test_one_that_raises_holds_up_no_other(reconciler: ManifestReconciler, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = applied("good", STRICT), applied("bad", STRICT)
    sync = policies.sync_policy
    odd = {"RefundPolicy": lambda row, now: 1 / 0 if row.name == "bad" else sync(row, now)}
    monkeypatch.setattr(syncing, "_SYNCS", odd)
    begun = begin(reconciler, good, bad)
    assert list(begun.raised) == [str(bad.pk)] and list(begun.outcomes) == [str(good.pk)]
    with pytest.raises(ZeroDivisionError):
        begin(reconciler, bad)


def test_a_pass_that_raised_has_written_nothing_and_is_done_again_from_fresh_rows(
    reconciler: ManifestReconciler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check 57 (TestSyncJobUpdateRequeue): the back-off of the row and the queue bring it back, and what was applied
    meanwhile counts."""
    row = applied("p", STRICT)
    with monkeypatch.context() as patched:
        patched.setattr(policies, "_roll_out", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            begin(reconciler, row)
    reconciler.failed(str(row.pk), ZeroDivisionError(), 3)
    stored = Manifest.objects.get(pk=row.pk)
    assert (stored.conditions, stored.observed_generation, stored.failures) == ([], 0, 3)
    assert stored.next_reconcile_at is not None and stored.next_reconcile_at > clock.now()
    apply_manifest(Declared("RefundPolicy", "p", {"window": {"days": 6}}), OPERATOR)
    begin(reconciler, row)
    stored = Manifest.objects.get(pk=row.pk)
    assert (said(stored)["Ready"][0], stored.observed_generation, stored.failures) == ("True", 2, 0)


def test_what_another_pass_holds_is_skipped(reconciler: ManifestReconciler) -> None:
    row = applied("p", STRICT)
    with held(row):
        assert begin(reconciler, row).skipped == [str(row.pk)]
    assert begin(reconciler, row).outcomes


def test_a_key_of_nothing_ends(reconciler: ManifestReconciler) -> None:
    begun = reconciler.begin([Lease("manifests", "999999", "t"), Lease("manifests", "odd", "t")], Room(8, lambda: 8))
    assert {key: outcome.kind for key, outcome in begun.outcomes.items()} == {
        "999999": OutcomeKind.OK,
        "odd": OutcomeKind.TERMINAL,
    }


def test_the_sweep_finds_what_is_due_and_nothing_else(reconciler: ManifestReconciler) -> None:
    due = applied("due", STRICT)
    quiet = policy("quiet", **STRICT)
    Manifest.objects.filter(pk=quiet.pk).update(next_reconcile_at=clock.now() + timedelta(hours=1))
    assert reconciler.due(100) == [str(due.pk)]
