"""The queues and their controllers, under the names that client-go and controller-runtime use."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from refunds.parcels import ParcelAct
from workers.workqueue import BOUNDS_MS, QueueStats, Stats, Times

LEGS = (
    "gateway_refund",
    "gateway_void",
    "gateway_look_up",
    "gateway_list",
    *(f"courier_{act}" for act in ParcelAct),
    "message_email",
    "message_sms",
    "webhook",
)
OUTCOMES = ("accepted", "refused", "unknown", "not_sent")
#: Outcomes as controller-runtime names them; a terminal error is an error too.
RESULTS: Mapping[str, tuple[str, ...]] = {
    "success": ("ok",),
    "error": ("error", "terminal"),
    "requeue": ("requeue",),
    "requeue_after": ("after",),
}
#: Name, what it is, and where `QueueStats` has it.
_GAUGES: Sequence[tuple[str, str, Callable[[QueueStats], float]]] = (
    ("workqueue_depth", "Keys waiting, those added again while they run too.", lambda q: q.depth),
    ("workqueue_delayed", "Keys to be added at a later time.", lambda q: q.delayed),
    ("workqueue_unfinished_work_seconds", "Seconds worked so far on all keys in hand.", lambda q: q.unfinished),
    ("workqueue_longest_running_processor_seconds", "Seconds worked on the key held longest.", lambda q: q.longest),
    ("workqueue_paused", "1 while an operator has stopped it.", lambda q: q.paused),
    ("controller_runtime_active_workers", "Pumps with a key of the queue in hand.", lambda q: q.holders),
)
#: Name, what it is, and the counts that it sums.
_COUNTERS: Sequence[tuple[str, str, Sequence[str]]] = (
    ("workqueue_adds", "Keys added that were neither waiting nor remembered.", ["adds"]),
    ("workqueue_retries", "Keys put off by their back-off after an error.", ["error"]),
    ("workqueue_reclaims", "Keys taken back from a worker that was lost.", ["reclaims"]),
    ("workqueue_stale_finish", "Finishes refused because the lease was lost.", ["stale_finishes"]),
    ("controller_runtime_reconcile_errors", "Syncs that ended in an error.", RESULTS["error"]),
    ("controller_runtime_terminal_reconcile_errors", "Errors that are not repeated.", ["terminal"]),
    ("controller_runtime_reconcile_panics", "Syncs that raised what nobody meant to raise.", ["panics"]),
    ("controller_runtime_reconcile_timeouts", "Calls given up after their deadline.", ["timeouts"]),
    ("refundry_stale_sync_skips", "Keys passed over because somebody else held their order.", ["skips"]),
    ("refundry_stalled_keys", "Keys left alone because they, alone, had killed several workers.", ["stalled"]),
)
_HISTOGRAMS = (
    ("workqueue_queue_duration_seconds", "From a key's first add until it is taken.", "queued"),
    ("workqueue_work_duration_seconds", "From taking a key until its finish.", "worked"),
    ("controller_runtime_reconcile_time_seconds", "Length of a sync.", "worked"),
)


def queue_families(stats: Stats, *, most_pumps: int) -> Iterator[Metric]:
    """Every series is there from the start, at 0."""
    yield from (_gauge(stats, *row) for row in _GAUGES)
    yield from (_counter(stats, *row) for row in _COUNTERS)
    yield from (_histogram(stats, *row) for row in _HISTOGRAMS)
    yield _results(stats)
    yield _oldest_ready(stats)
    yield _effects(stats)
    limit = "controller_runtime_max_concurrent_reconciles"
    yield _gauge(stats, limit, "Pumps allowed at once (PUMPS).", lambda queue: most_pumps)
    yield GaugeMetricFamily("refundry_pumps", "Pumps that are registered.", value=stats.pumps)
    yield GaugeMetricFamily("refundry_pumps_listening", "Pumps that wait for work.", value=stats.listening)


def _gauge(stats: Stats, name: str, text: str, read: Callable[[QueueStats], float]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[_label(name)])
    for queue, now in stats.queues.items():
        family.add_metric([queue], float(read(now)))
    return family


def _counter(stats: Stats, name: str, text: str, whats: Sequence[str]) -> Metric:
    family = CounterMetricFamily(name, text, labels=[_label(name)])
    for queue, now in stats.queues.items():
        family.add_metric([queue], _sum(now, whats))
    return family


def _histogram(stats: Stats, name: str, text: str, what: str) -> Metric:
    family = HistogramMetricFamily(name, text, labels=[_label(name)])
    for queue, now in stats.queues.items():
        times = now.times(what)
        family.add_metric([queue], _cumulated(times), times.sum_seconds)
    return family


def _cumulated(times: Times) -> list[tuple[str, float]]:
    bounds = [*(str(ms / 1000) for ms in BOUNDS_MS), "+Inf"]
    return [(bound, float(sum(times.counts[: i + 1]))) for i, bound in enumerate(bounds)]


def _results(stats: Stats) -> Metric:
    family = CounterMetricFamily(
        "controller_runtime_reconcile", "Finished syncs by result.", labels=["controller", "result"]
    )
    for queue, now in stats.queues.items():
        for result, whats in RESULTS.items():
            family.add_metric([queue, result], _sum(now, whats))
    return family


def _oldest_ready(stats: Stats) -> Metric:
    family = GaugeMetricFamily("workqueue_oldest_ready_seconds", "Age of the first in line.", labels=["name", "band"])
    for queue, now in stats.queues.items():
        family.add_metric([queue, "high"], now.oldest_high)
        family.add_metric([queue, "low"], now.oldest_low)
        family.add_metric([queue, "suspect"], now.oldest_suspect)
    return family


def _effects(stats: Stats) -> Metric:
    family = CounterMetricFamily("refundry_effects", "Outside calls by what they came to.", labels=["leg", "outcome"])
    for leg in LEGS:
        for outcome in OUTCOMES:
            what = f"effect:{leg}:{outcome}"
            family.add_metric([leg, outcome], sum(_sum(now, [what]) for now in stats.queues.values()))
    return family


def _sum(now: QueueStats, whats: Sequence[str]) -> float:
    return float(sum(now.counts.get(what, 0) for what in whats))


def _label(name: str) -> str:
    """As upstream: a queue is a `name`, a reconciler a `controller`."""
    return "controller" if name.startswith("controller_runtime") else "name"
