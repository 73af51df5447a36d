"""What every test may ask for."""

import gc
import os
from collections.abc import Iterator

import pytest
import redis
from django.conf import settings as django_settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from hypothesis import HealthCheck, settings

from orders.registry import Registry, registry
from tests import emptying
from tests.consistency import violations
from tests.integration.refunds_api.gateways import ACCOUNTS as SANDBOX_ONLY
from tests.processes import Stack
from tests.scheduling import pytest_xdist_make_scheduler as pytest_xdist_make_scheduler

# How long an example takes says how busy the machine is, nothing about the code.
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")

# Every client of a test has a handler of its own: it looks for a static file when asked for one, not for all at first.
django_settings.WHITENOISE_AUTOREFRESH = True
# The account that orders of tests are paid at; nothing listens there.
django_settings.GATEWAY_ACCOUNTS = SANDBOX_ONLY
# The processes of tests know their channels, as those that are ready do: none has a name or an origin of its own.
registry.load([])
# And none has declared an account.
django_settings.DECLARED_ACCOUNTS_SECONDS = float("inf")
# A password costs nothing where nobody attacks.
PBKDF2PasswordHasher.iterations = 2000
emptying.install()
# What was imported is never garbage: looking through it again and again was a twelfth of a run.
gc.freeze()
gc.set_threshold(50_000, 20, 50)
LONGEST_ID = 100


@pytest.fixture(scope="session")
def redis_url() -> str:
    """This worker's own Redis database."""
    return os.environ["REDIS_URL"]


@pytest.fixture
def redis_client(redis_url: str) -> Iterator[redis.Redis]:
    """A client on this worker's database, emptied before the test."""
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
        yield client


@pytest.fixture
def channels() -> Iterator[Registry]:
    """This process's registry, for a test that changes what is served."""
    from refunds.selectors import declared_accounts  # noqa: PLC0415 - models, once Django is set up

    yield registry
    registry.load([])
    declared_accounts.forget()


@pytest.fixture(scope="session")
def ahead() -> Iterator[Stack]:
    """All processes, for the tests of the group "deadlines" alone, which move its business time on by months."""
    with Stack().running() as running:
        yield running
        with running.connect() as connection:
            assert violations(connection) == []


def pytest_make_parametrize_id(val: object) -> str | None:
    """A body of ten megabytes is not its test's name, which goes with each report between the processes of a run."""
    if isinstance(val, str | bytes) and len(val) > LONGEST_ID:
        return f"{ascii(val[:LONGEST_ID])}... of {len(val)}"
    return None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share processes follow each other, wherever they lie: in a shuffled run without workers, too. They
    come first: a long group that begins last has one worker at work and the others idle."""
    items.sort(key=lambda item: (not _group(item), _group(item)))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Processes whose group is over would only take time from the other tests."""
    if nextitem is not None and _group(item) != _group(nextitem):
        for stack in Stack.living:
            stack.rest()


def _group(item: pytest.Item) -> str:
    marker = item.get_closest_marker("xdist_group")
    return marker.args[0] if marker else ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """A failure shows the ends of the logs of the processes that ran meanwhile."""
    report = yield
    if report.failed:
        for stack in Stack.living:
            report.sections += stack.log_ends()
    return report
