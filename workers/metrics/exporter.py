"""One scrape: the queues by one script, the rows by four statements. What is away is said, and the rest still told."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache

import redis
from django.conf import settings
from django.db import DatabaseError, InterfaceError
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from redis.backoff import NoBackoff
from redis.retry import Retry

from refunds.selectors.gauges import gauges
from workers.bootstrap import QUEUES
from workers.metrics.queues import queue_families
from workers.metrics.rows import row_families
from workers.workqueue import WorkQueue

CONTENT_TYPE = CONTENT_TYPE_LATEST
# A scraper gives up after some seconds; what the database says must have come by then.
REDIS_SECONDS = 1.0


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
    return queue_families(_queue().stats(), most_pumps=settings.PUMPS)


@cache
def _queue() -> WorkQueue:
    client = redis.Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=REDIS_SECONDS,
        socket_timeout=REDIS_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    return WorkQueue(client, QUEUES)


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
