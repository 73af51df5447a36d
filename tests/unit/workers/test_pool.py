"""Celery's pool of processes as we run it: what Celery gets wrong with those that have just ended."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from celery.concurrency import asynpool, get_implementation
from kombu.asynchronous import Hub

from config.celery import app
from config.prefork import Pool


def test_it_is_the_pool_of_our_workers() -> None:
    assert get_implementation(app.conf.worker_pool).Pool is Pool


def test_a_process_that_has_ended_is_not_watched_again_and_others_are() -> None:
    with _process() as (process, hub, pool):
        for _ in range(2):
            pool._track_child_process(process, hub)
            assert len(hub.readers) == 1
        pool._untrack_child_process(process, hub)
        pool._track_child_process(process, hub)
        assert hub.readers == {}


def test_celery_itself_still_gets_it_wrong() -> None:
    """When it does no longer, `config.prefork` may go."""
    with _process() as (process, hub, pool), pytest.raises(ValueError, match="file descriptor is None"):
        process._sentinel_poll = None
        asynpool.AsynPool._track_child_process(pool, process, hub)


@contextmanager
def _process() -> Iterator[tuple[Any, Hub, Pool]]:
    """One of a pool's processes, by its sentinel alone; a hub; and a pool without any other."""
    sentinel, others = os.pipe()
    hub = Hub()
    try:
        yield SimpleNamespace(_popen=SimpleNamespace(sentinel=sentinel)), hub, Pool.__new__(Pool)
    finally:
        hub.close()
        os.close(sentinel)
        os.close(others)
