"""Where contenders meet: one PostgreSQL and one Valkey as the product ships them, with the product's tables."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import django
from django.apps import apps

from tests.servers import throwaway_home
from workers.local.children import Child, Children
from workers.local.home import Home
from workers.local.postgres import ensure_database, start_postgres
from workers.local.product import Addresses, Product, product_environment
from workers.local.valkey import start_valkey

#: When something became visible to others is read off its commit (`benchmarks.moments`). The rest is as shipped.
SETTINGS = {"track_commit_timestamp": "on"}


@dataclass
class Ground:
    """`children` keeps what is started on it; at the end nothing of that is left. A server may be started anew.

    `extras` are the optional contenders that take part.
    """

    children: Children
    product: Product
    postgres: Child
    valkey: Child
    extras: Sequence[str] = ()

    def roots(self) -> dict[str, list[int]]:
        """Of the servers, for `benchmarks.cost`."""
        return {"PostgreSQL": [self.postgres.process.pid], "Valkey": [self.valkey.process.pid]}


@contextmanager
def prepared_ground(extras: Sequence[str] = ()) -> Iterator[Ground]:
    """Servers up, tables made, and this process's Django and Redis pointed at them. fsync is on, as shipped."""
    with throwaway_home() as (home, lock):
        children = Children(home.logs, inherited=[lock])
        try:
            postgres, valkey = start_postgres(home, children, SETTINGS), start_valkey(home, children)
            database_url, addresses = ensure_database(postgres, "benchmark"), Addresses()
            environment = product_environment(home, addresses, database_url=database_url, redis_url=valkey.url())
            environment["TMPDIR"] = _temporary_folder(home)
            product = Product(home, addresses, environment)
            children.run(product.manage("migrate", "--verbosity", "0"))
            os.environ.update(environment, DJANGO_SETTINGS_MODULE="config.settings")
            django.setup()
            _have_ledger_checked()
            yield Ground(children, product, postgres.child, valkey.child, extras)
        finally:
            children.stop()


def _temporary_folder(home: Home) -> str:
    """Of processes that are killed in the end, and leave there what they would remove themselves."""
    folder = home.path / "tmp"
    folder.mkdir()
    return str(folder)


def _have_ledger_checked() -> None:
    """The check of a day is done: of a new installation it is due at once, would go on for minutes over all that a
    run makes, 10 s of each 60, and stand in whichever contender's turn it comes."""
    apps.get_model("refunds", "LedgerCheck").objects.create(next_at=datetime.now(UTC) + timedelta(days=1))
