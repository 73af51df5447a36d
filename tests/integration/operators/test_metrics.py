"""The metrics as a scraper reads them: names, numbers, and who may read them."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from refunds.models import Incident, Refund, WebhookDelivery, WebhookEndpoint
from refunds.records import counted
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import asked_for, only_send
from tests.integration.hooks.hooked import owed
from tests.integration.operators.conftest import Scrape
from workers import bootstrap
from workers.ports import Unknown
from workers.workqueue import Band, after, error, ok, terminal

pytestmark = pytest.mark.django_db

NAMES = """
workqueue_depth workqueue_adds_total workqueue_queue_duration_seconds_count workqueue_work_duration_seconds_sum
workqueue_unfinished_work_seconds workqueue_longest_running_processor_seconds workqueue_retries_total
workqueue_reclaims_total workqueue_stale_finish_total workqueue_delayed
"""
CONTROLLER = """
reconcile_errors_total terminal_reconcile_errors_total reconcile_panics_total reconcile_timeouts_total
reconcile_time_seconds_count active_workers max_concurrent_reconciles
"""


def test_every_series_is_there_before_anything_has_happened(scrape: Scrape) -> None:
    """Under the names that client-go and controller-runtime use. Controller check 77; upstream: It "prometheus metric
    reconcile_total", It "should add a reconcile time to the reconcile time histogram"."""
    seen = scrape()
    for queue in (spec.name for spec in bootstrap.QUEUES):
        for name in NAMES.split():
            assert any(series.startswith(f'{name}{{name="{queue}"') for series in seen), name
        for name in CONTROLLER.split():
            assert f'controller_runtime_{name}{{controller="{queue}"}}' in seen, name
        for result in ("success", "error", "requeue", "requeue_after"):
            assert seen[f'controller_runtime_reconcile_total{{controller="{queue}",result="{result}"}}'] == 0
    assert seen['refundry_effects_total{leg="gateway_refund",outcome="unknown"}'] == 0
    assert seen['refundry_effects_unknown{leg="gateway"}'] == seen["refundry_orphans_open"] == 0


def test_the_queue_s_numbers_are_exact(scrape: Scrape) -> None:
    """Controller check 76; upstream: TestMetrics, TestMetricShutdown."""
    queue = bootstrap.workqueue()
    queue.add("refunds", ["1", "2", "3", "4", "5"])
    queue.add("refunds", ["1"])
    leases = queue.get("pump", 5).leases
    queue.add("refunds", ["5"])
    queue.add("refunds", ["6"], band=Band.LOW)
    queue.finish(list(zip(leases[:4], [ok(), after(60), error(ValueError()), terminal(ValueError())], strict=True)))
    seen = scrape()

    def of(name: str) -> float:
        return seen[f'workqueue_{name}{{name="refunds"}}']

    assert (of("adds_total"), of("depth"), of("delayed"), of("retries_total")) == (7, 2, 2, 1)
    assert (of("queue_duration_seconds_count"), of("work_duration_seconds_count")) == (5, 4)
    assert seen['controller_runtime_active_workers{controller="refunds"}'] == 1
    assert seen['controller_runtime_reconcile_errors_total{controller="refunds"}'] == 2
    assert seen['controller_runtime_terminal_reconcile_errors_total{controller="refunds"}'] == 1
    assert seen['controller_runtime_reconcile_total{controller="refunds",result="error"}'] == 2
    assert seen['workqueue_adds_total{name="notifications"}'] == 0


def test_buckets_add_up(scrape: Scrape) -> None:
    queue = bootstrap.workqueue()
    queue.add("refunds", ["1"])
    queue.get("pump", 1)
    seen = scrape()
    buckets = [value for name, value in seen.items() if name.startswith("workqueue_queue_duration_seconds_bucket")]
    assert max(buckets) == seen['workqueue_queue_duration_seconds_bucket{le="+Inf",name="refunds"}'] == 1


def test_outcomes_that_nobody_knows_are_told_with_the_age_of_the_oldest(scrape: Scrape) -> None:
    refund, engine = asked_for(1000), Engine()
    engine.answer(only_send(engine, refund), Unknown("time-out"))
    seen = scrape()
    assert seen['refundry_effects_unknown{leg="gateway"}'] == 1
    assert 0 < seen['refundry_effects_unknown_oldest_seconds{leg="gateway"}'] < 60
    assert seen['refundry_refunds_open{state="refunding"}'] == 1


def test_what_waits_for_a_person_is_told(scrape: Scrape) -> None:
    refund = asked_for(1000)
    Refund.objects.filter(pk=refund.pk).update(state="in_review")
    Incident.objects.create(
        kind="orphaned_refund", refund=refund, opened_at=refund.created_at, due_at=refund.created_at
    )
    seen = scrape()
    assert (seen["refundry_approval_pending"], seen["refundry_orphans_open"]) == (1, 1)
    assert seen['refundry_incidents_open{kind="orphaned_refund"}'] == 1
    (version,) = [name for name in seen if name.startswith("refundry_policy_inflight")]
    assert seen[version] == 1


def test_webhooks_that_have_not_arrived_are_told(scrape: Scrape) -> None:
    pending, dead = owed(2)
    WebhookDelivery.objects.filter(pk=dead.pk).update(state="dead", next_reconcile_at=None)
    WebhookEndpoint.objects.update(disabled_at=pending.created_at)
    seen = scrape()
    assert [seen[f'refundry_webhook_deliveries{{state="{state}"}}'] for state in ("pending", "dead")] == [1, 1]
    assert seen["refundry_webhook_endpoints_disabled"] == 1
    assert 'refundry_overdue_seconds{name="webhooks"}' in seen


def test_a_scrape_costs_the_same_however_many_refunds_there_are(scrape: Scrape) -> None:
    def cost() -> tuple[int, int]:
        with CaptureQueriesContext(connection) as queries, counted() as statements:
            scrape()
        return len(queries), len(statements)

    asked_for(1000)
    few = cost()
    for _ in range(5):
        asked_for(1000)
    assert cost() == few == (0, 5)


def test_with_redis_away_the_rows_are_told_all_the_same(scrape: Scrape, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    bootstrap.impatient_workqueue.cache_clear()
    seen = scrape()
    assert (seen["refundry_redis_up"], seen["refundry_database_up"]) == (0, 1)
    assert "refundry_approval_pending" in seen and not any(name.startswith("workqueue") for name in seen)


LOCAL, PUBLIC = "http://127.0.0.1:8000", "https://shop.example.com"


@pytest.mark.parametrize(
    ("token", "base_url", "request_as", "status"),
    [
        ("", LOCAL, {"REMOTE_ADDR": "127.0.0.1"}, 200),
        ("", LOCAL, {"REMOTE_ADDR": "192.0.2.7"}, 401),
        ("", LOCAL, {"REMOTE_ADDR": ""}, 401),
        ("", PUBLIC, {"REMOTE_ADDR": "127.0.0.1"}, 401),
        ("", PUBLIC, {"HTTP_AUTHORIZATION": "Bearer "}, 401),
        ("secret", PUBLIC, {"HTTP_AUTHORIZATION": "Bearer secret"}, 200),
        ("secret", LOCAL, {}, 401),
        ("secret", LOCAL, {"HTTP_AUTHORIZATION": "Bearer sécret"}, 401),
    ],
    ids=["local", "from afar", "by a socket", "behind a proxy", "empty token", "token", "none brought", "wrong"],
)
def test_metrics_are_for_who_has_the_token_or_sits_at_a_local_installation(
    settings: Any, token: str, base_url: str, request_as: dict[str, Any], status: int
) -> None:
    settings.METRICS_TOKEN, settings.BASE_URL = token, base_url
    assert Client().get("/metrics", **request_as).status_code == status


def test_the_operations_page_tells_every_metric(scrape: Scrape) -> None:
    page = (Path(configured.BASE_DIR) / "docs" / "operations.md").read_text()
    names = {re.sub(r"(_bucket|_count|_sum)?(\{.*)?$", "", series) for series in scrape()}
    assert not [name for name in sorted(names) if f"`{name}`" not in page]
