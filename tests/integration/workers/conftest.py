"""A queue of one's own on the real server, and a clock that can be moved."""

from collections.abc import Callable, Iterator

import pytest
import redis

from tests.integration.workers.bench import Bench
from workers.workqueue import Lease, QueueSpec, WorkQueue

PREFIX = "{test}"
# Long enough never to be in the way, unless a test moves the clock.
LEASE_SECONDS = 60.0

MakeQueue = Callable[..., WorkQueue]
Advance = Callable[[float], None]
Keys = Callable[[list[Lease]], list[str]]


@pytest.fixture
def make_queue(redis_client: redis.Redis) -> MakeQueue:
    """Queues "refunds" and "notifications" with back-off 1 s to 60 s and no jitter, unless said otherwise."""

    def make(*specs: QueueSpec, **options: float) -> WorkQueue:
        default = (QueueSpec("refunds", jitter=0.0), QueueSpec("notifications", jitter=0.0))
        options = {"lease_seconds": LEASE_SECONDS, "most_pumps": 100, **options}
        return WorkQueue(redis_client, specs or default, prefix=PREFIX, **options)

    return make


@pytest.fixture
def queue(make_queue: MakeQueue) -> WorkQueue:
    return make_queue()


@pytest.fixture
def bench(queue: WorkQueue) -> Iterator[Bench]:
    bench = Bench(queue)
    yield bench
    bench.close()


@pytest.fixture
def advance(redis_client: redis.Redis) -> Advance:
    """Let so many seconds pass, for the queue alone."""

    def move(seconds: float) -> None:
        redis_client.incrby(f"{PREFIX}::skew", round(seconds * 1000))

    return move


def keys(leases: list[Lease]) -> list[str]:
    return [lease.key for lease in leases]


def take(queue: WorkQueue, n: int = 100, *, pump: str = "pump", held: int = 0) -> list[Lease]:
    return queue.get(pump, n, held=held).leases


def everything(client: redis.Redis) -> str:
    """All that is kept of the queues, as text."""
    dump = []
    for name in client.keys(f"{PREFIX}*"):
        match client.type(name):
            case b"hash":
                dump.append(client.hgetall(name))
            case b"zset":
                dump.append(client.zrange(name, 0, -1))
            case b"list":
                dump.append(client.lrange(name, 0, -1))
            case _:
                dump.append(client.get(name))
    return repr(dump)
