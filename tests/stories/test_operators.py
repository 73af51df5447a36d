"""What operators see of work that other processes do."""

import json
import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.processes import Stack
from tests.stories.shop import Shop

pytestmark = pytest.mark.xdist_group("stories")


def scraped(stack: Stack) -> dict[tuple[str, str], float]:
    """Samples by name and the value of their last label."""
    with urllib.request.urlopen(f"{stack.base_url}/metrics", timeout=5) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    return {(s.name, "/".join(s.labels.values())): s.value for family in families for s in family.samples}


def test_the_web_process_tells_what_the_worker_did(shop: Shop, stack: Stack) -> None:
    """Metrics, one line of the log per sync, and the description of the case."""
    before = scraped(stack)
    case = shop.place_order().request_refund()
    case.comes_to_rest("refunded")
    after = scraped(stack)

    def grew(name: str, labels: str) -> float:
        return after[name, labels] - before[name, labels]

    assert grew("refundry_effects_total", "gateway_refund/accepted") >= 1
    assert grew("refundry_effects_total", "message_email/accepted") >= 1
    assert grew("workqueue_adds_total", "refunds") >= 1
    assert grew("controller_runtime_reconcile_total", "refunds/success") >= 1
    assert grew("workqueue_work_duration_seconds_count", "notifications") >= 1
    lines = [json.loads(line) for line in stack.log("worker").splitlines() if '"refundry.reconcile"' in line]
    key = case.number.rpartition("-")[2]
    assert [line for line in lines if (line["queue"], line["key"], line["calls"]) == ("refunds", key, 1)]
    stack.manage("describe", f"refund/{case.number}")
