"""One sandbox per module; every test has payments of its own in it."""

from collections.abc import Iterator

import pytest
from django.db import connection

from tests.consistency import violations
from tests.integration.adapters.peers import SECRET, peer_process
from tests.integration.orphans.world import World


@pytest.fixture(scope="module")
def sandbox_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    flags = (
        "--home",
        str(tmp_path_factory.mktemp("sandbox")),
        "--secret",
        SECRET,
        # Longer than any test: what is pending ends when the test says so.
        "--settle-ms",
        "600000",
        "--hold-seconds",
        "0.3",
    )
    with peer_process("workers.local.sandbox", *flags) as (url, _):
        yield url


@pytest.fixture
def world(sandbox_url: str, transactional_db: None) -> World:
    """At the gateway's time: what others have shifted is taken back."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM refundry_clock_offset")
    return World(sandbox_url)


@pytest.fixture
def right_books() -> Iterator[None]:
    """Whatever the test did, every book agrees with every other afterwards."""
    yield
    connection.ensure_connection()
    assert violations(connection.connection) == []
