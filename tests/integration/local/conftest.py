"""Supervisors that tests start, each ended with all it has started."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.local.supervised import Supervised
from tests.servers import throwaway_home


@pytest.fixture
def home() -> Iterator[Path]:
    with throwaway_home() as (around, _):
        yield around.path / "home"


@pytest.fixture
def supervise(home: Path) -> Iterator[Callable[..., Supervised]]:
    started: list[Supervised] = []

    def start(path: Path = home, **options: str) -> Supervised:
        started.append(Supervised(path, **options))
        return started[-1]

    yield start
    for supervised in started:
        supervised.kill()
