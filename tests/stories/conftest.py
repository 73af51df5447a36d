"""Two sets of real processes: one for the stories that end and freeze nothing, one for those that do."""

from collections.abc import Iterator

import pytest

from tests.consistency import violations
from tests.processes import Stack
from tests.stories import traps
from tests.stories.shop import Shop


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with Stack().running() as running:
        yield running
        _check_the_books(running)


@pytest.fixture(scope="session")
def shop(stack: Stack) -> Shop:
    return Shop(stack)


@pytest.fixture(scope="session")
def fragile_stack() -> Iterator[Stack]:
    """Its worker has trapdoors, its database is its own, and idle locks end soon. Every story leaves it running."""
    with Stack(
        own_postgres=True, worker_app=traps.WORKER, IDLE_LOCK_SECONDS="2", DECLARED_SECRETS="file:*"
    ).running() as running:
        yield running
        _check_the_books(running)


@pytest.fixture(scope="session")
def fragile_shop(fragile_stack: Stack) -> Shop:
    return Shop(fragile_stack)


@pytest.fixture
def right_books(request: pytest.FixtureRequest) -> Iterator[None]:
    """For stories that leave nothing running: after each, every book agrees with every other."""
    yield
    name = "stack" if "stack" in request.fixturenames else "fragile_stack"
    _check_the_books(request.getfixturevalue(name))


def _check_the_books(stack: Stack) -> None:
    """After all stories, whatever they did to the processes."""
    with stack.connect() as connection:
        assert violations(connection) == []
