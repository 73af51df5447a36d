"""From one version to the next while refunds are running."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from refunds import records
from refunds.models import Manifest, PolicyInForce, Refund, RefundEvent
from refunds.services.manifests.applying import approve_manifest
from refunds.services.manifests.removing import delete_manifest
from tests.factories import make_order, request
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.threads import somebody_holds
from tests.integration.policies.declared import AGREED, BOB, ITS_END, OPERATOR, policy, said, synced

pytestmark = pytest.mark.django_db(transaction=True)

LOOKED_AT: dict[str, Any] = {"selector": {}, "limits": {"instantMinor": {"EUR": 100}}}


def asked(count: int) -> list[Refund]:
    return [request(make_order(1000)).refunds[0] for _ in range(count)]


def pinned(refunds: list[Refund]) -> list[int]:
    rows = Refund.objects.filter(pk__in=[r.pk for r in refunds]).order_by("id").select_related("policy_version")
    return [row.policy_version.generation for row in rows]


def running(row: Manifest) -> dict[str, int]:
    return dict(row.status["running"])


def test_new_refunds_are_pinned_to_the_new_version_and_old_ones_follow_the_oldest_first() -> None:
    row = policy("p", **LOOKED_AT)
    old = asked(5)
    row = policy("p", **(LOOKED_AT | {"maxReplanPerSync": 2, "clocks": {"review": "24h"}}))
    assert pinned(old) == [2, 2, 1, 1, 1]
    assert said(row)["Progressing"] == ("True", "Replanning")
    assert running(row) == {"1": 3, "2": 2}
    row = synced(synced(row))
    assert pinned(old) == [2] * 5
    assert said(row)["Progressing"] == ("False", "Complete")


def test_what_has_money_claimed_ends_on_its_version() -> None:
    policy("p", selector={})
    [claimed, free] = asked(2)
    [out] = Engine().begin(claimed).calls
    row = policy("p", selector={}, clocks={"review": "24h"})
    assert pinned([claimed, free]) == [1, 2]
    assert said(row)["Progressing"] == ("False", "Complete")
    Engine().answer(out, accepted(out.movement))
    assert Refund.objects.get(pk=claimed.pk).state == "refunded"
    assert running(synced(row)) == {"2": 1}


def test_what_the_customer_was_shown_stays() -> None:
    policy("p", **LOOKED_AT)
    [refund] = asked(1)
    before = Refund.objects.get(pk=refund.pk)
    policy("p", **(LOOKED_AT | {"fees": {"restocking": {"perMille": 500}}}))
    after = Refund.objects.get(pk=refund.pk)
    assert (after.amount_minor, after.sheet) == (before.amount_minor, before.sheet)
    assert after.generation == before.generation + 1
    assert RefundEvent.objects.filter(refund=refund, kind="refund.policy_changed").count() == 1


def test_suspended_nothing_moves_until_it_is_resumed() -> None:
    policy("p", **LOOKED_AT)
    old = asked(3)
    row = policy("p", **(LOOKED_AT | {"suspend": True, "clocks": {"review": "24h"}}))
    assert pinned(old) == [1, 1, 1] and said(row)["Progressing"] == ("False", "Suspended")
    assert pinned(asked(1)) == [2]
    policy("p", **(LOOKED_AT | {"clocks": {"review": "24h"}}))
    assert pinned(old) == [3, 3, 3]


def test_rolled_back_it_is_the_next_generation_with_the_old_rules() -> None:
    policy("p", **LOOKED_AT)
    old = asked(2)
    policy("p", **(LOOKED_AT | {"clocks": {"review": "24h"}}))
    policy("p", **LOOKED_AT)
    assert pinned(old) == [3, 3]
    assert PolicyInForce.objects.get(name="p").version.spec["review_seconds"] == 48 * 3600


def test_an_order_that_another_writer_holds_waits_for_the_next_pass() -> None:
    policy("p", **LOOKED_AT)
    old = asked(2)
    order_id = old[0].order_id
    with somebody_holds(order_id):
        row = policy("p", **(LOOKED_AT | {"clocks": {"review": "24h"}}))
        assert pinned(old) == [1, 2]
    synced(row)
    assert pinned(old) == [2, 2]


def test_a_pass_takes_as_many_statements_for_many_refunds_as_for_few() -> None:
    counts = []
    for generation, many in ((1, 2), (2, 20)):
        policy("p", **(LOOKED_AT | {"precedence": generation}))
        asked(many)
        with CaptureQueriesContext(connection) as queries, records.counted() as set_based:
            policy("p", **(LOOKED_AT | {"precedence": generation, "clocks": {"review": f"{generation}h"}}))
        counts.append(len(queries) + len(set_based))
    assert counts[0] == counts[1]


def test_a_policy_that_is_removed_takes_nothing_new_and_waits_for_the_old() -> None:
    """Check 55 (TestTrackJobStatusAndRemoveFinalizers, TestSyncJobPastDeadline): what is to end is said and durable
    first, and the end comes only when every refund of it has ended."""
    row = policy("p", **LOOKED_AT)
    [refund] = asked(1)
    delete_manifest("RefundPolicy", "p", OPERATOR)
    approve_manifest("RefundPolicy", "p", AGREED, BOB, seen=ITS_END)
    row = synced(row)
    assert said(row) == {"Terminating": ("True", "RefundsInFlight")}
    [fresh] = asked(1)
    assert Refund.objects.get(pk=fresh.pk).policy_version.name == "built-in"
    Engine().run(refund)
    assert Refund.objects.get(pk=refund.pk).state == "in_review"
    Refund.objects.filter(pk=refund.pk).update(state="rejected", next_reconcile_at=None)
    synced(row)
    assert not Manifest.objects.filter(pk=row.pk).exists()
