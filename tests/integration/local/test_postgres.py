"""The PostgreSQL that comes with the product is its own, whatever the caller's shell says of another."""

import os
from collections.abc import Iterator

import psycopg
import pytest

from tests.servers import throwaway_home
from workers.local.children import Children
from workers.local.home import Home
from workers.local.postgres import start_postgres
from workers.local.product import Addresses, product_environment

ANOTHER = {
    "PGPORT": "5999",
    "PGHOSTADDR": "127.0.0.9",
    "PGSERVICE": "shop",
    "PGREQUIREAUTH": "scram-sha-256",
    "PGOPTIONS": "-c default_transaction_read_only=on",
    "PGTARGETSESSIONATTRS": "standby",
}


@pytest.fixture
def home() -> Iterator[tuple[Home, Children]]:
    with throwaway_home() as (home, lock):
        children = Children(home.logs, inherited=[lock])
        yield home, children
        children.stop()


def test_it_starts_and_is_found_though_the_caller_has_another(
    home: tuple[Home, Children], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ANOTHER.items():
        monkeypatch.setenv(name, value)
    url = start_postgres(*home, {"fsync": "off"}).url("postgres")
    product = product_environment(home[0], Addresses(), database_url=url, redis_url="")
    assert not ANOTHER.keys() & (product.keys() | os.environ.keys())
    monkeypatch.setenv("PGPORT", "5999")  # of another shell, for `make manage`
    with psycopg.connect(url) as connection:
        assert connection.execute("SHOW default_transaction_read_only").fetchone() == ("off",)
