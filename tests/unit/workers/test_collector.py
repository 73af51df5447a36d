"""A worker's processes and Python's garbage collector."""

import gc

import pytest

from workers.tasks import COLLECT_AFTER, collect_seldom


@pytest.fixture
def collector():
    before = gc.get_threshold()
    gc.unfreeze()
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("collector")
def test_what_a_worker_has_loaded_is_not_looked_through_again_and_again() -> None:
    collect_seldom()
    assert gc.get_freeze_count() > 10_000
    assert gc.get_threshold()[0] == COLLECT_AFTER
    assert gc.isenabled()
