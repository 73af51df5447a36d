"""Keys that name nothing, in every queue: they come from operators and from whoever can write to Valkey."""

import logging

import pytest
import redis

from tests.integration.workers.bench import Bench
from tests.integration.workers.conftest import MakeQueue, everything
from workers import bootstrap
from workers.controller import OutcomeKind

pytestmark = pytest.mark.django_db(transaction=True)

NO_KEYS = ["zzz", "0777777", "7" * 23]
NO_ROW = "777777"


def test_a_key_that_names_nothing_ends_at_once_and_leaves_nothing(
    make_queue: MakeQueue, redis_client: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """Controller check 8; upstream: TestGarbageCollection. One that is no key is told of once, and is no failure."""
    queue = make_queue(*bootstrap.QUEUES)
    for spec in bootstrap.QUEUES:
        queue.add(spec.name, [*NO_KEYS, NO_ROW])
    controller = Bench(queue).controller(*bootstrap.reconcilers())
    with caplog.at_level(logging.WARNING):
        controller.run()
    by_id = len(bootstrap.QUEUES) - 1
    told = by_id * len(NO_KEYS) + len([*NO_KEYS, NO_ROW])
    assert controller.outcomes == {OutcomeKind.TERMINAL: told, OutcomeKind.OK: by_id}
    assert not [key for key in (*NO_KEYS, NO_ROW) if key in everything(redis_client)]
    assert sum("is no id" in each or "is no gateway account" in each for each in caplog.messages) == told
    assert not [record for record in caplog.records if record.levelno > logging.WARNING]
