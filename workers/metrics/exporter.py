"""One scrape: the queues by one script, the rows by five statements. What is away is said, and the rest still told."""

from collections.abc import Callable, Iterable, Iterator

import redis
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from refunds.selectors.gauges import gauges
from workers import bootstrap
from workers.metrics.queues import queue_families
from workers.metrics.rows import row_families

CONTENT_TYPE = CONTENT_TYPE_LATEST


class _Everything(Collector):
    def collect(self) -> Iterator[Metric]:
        yield from _told("redis", redis.RedisError, _read_queues)
        yield from _told("database", (DatabaseError, InterfaceError), lambda: row_families(gauges()))


def scrape() -> bytes:
    """All metrics in Prometheus' text form."""
    registry = CollectorRegistry()
    registry.register(_Everything())
    return generate_latest(registry)


def _read_queues() -> Iterable[Metric]:
    return queue_families(bootstrap.impatient_workqueue().stats(), most_pumps=settings.PUMPS)


def _told(
    name: str, errors: type[Exception] | tuple[type[Exception], ...], read: Callable[[], Iterable[Metric]]
) -> Iterator[Metric]:
    """What `read` gives, and whether its source answered at all."""
    families: list[Metric] = []
    is_up = True
    try:
        families = list(read())
    except errors:
        is_up = False
    yield GaugeMetricFamily(f"refundry_{name}_up", f"1 if the {name} answered this scrape.", value=float(is_up))
    yield from families
