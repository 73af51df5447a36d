"""What the rows say: refunds under way, outcomes that nobody knows, cases for a person."""

from collections.abc import Iterator, Mapping

from prometheus_client.core import GaugeMetricFamily, Metric

from refunds.selectors.gauges import Gauges
from refunds.states import RefundState

UNKNOWN_LEGS = ("gateway", "courier", "message")


def row_families(now: Gauges) -> Iterator[Metric]:
    unknown = {leg: now.unknown[leg] for leg in UNKNOWN_LEGS if leg in now.unknown}
    counts = {leg: float(unknown[leg].count) if leg in unknown else 0.0 for leg in UNKNOWN_LEGS}
    ages = {leg: unknown[leg].oldest_seconds if leg in unknown else 0.0 for leg in UNKNOWN_LEGS}
    pending, dead, disabled = now.hooks
    orphans = sum(count for kind, count in now.incidents.items() if kind.startswith("orphan"))
    yield _labelled("effects_unknown", "Calls whose outcome nobody knows yet.", "leg", counts)
    yield _labelled("effects_unknown_oldest_seconds", "Age of the oldest of these.", "leg", ages)
    yield _labelled("overdue_seconds", "Since the oldest row should have been looked at.", "name", now.overdue)
    yield _labelled("refunds_open", "Refunds that have not ended.", "state", now.states)
    yield _labelled("policy_inflight", "Refunds that have not ended, by policy version.", "version", now.versions)
    yield _labelled("incidents_open", "Cases that a person must look at.", "kind", now.incidents)
    yield _plain("orphans_open", "Open cases of effects that belong to no refund.", orphans)
    yield _plain("approval_pending", "Refunds that wait for a person's decision.", now.states[RefundState.IN_REVIEW])
    yield _labelled(
        "webhook_deliveries", "Webhooks to shops that have not arrived.", "state", {"pending": pending, "dead": dead}
    )
    yield _plain("webhook_endpoints_disabled", "Addresses of shops that have answered 410 Gone.", disabled)


def _labelled(name: str, text: str, label: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(f"refundry_{name}", text, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family


def _plain(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"refundry_{name}", text, value=value)
