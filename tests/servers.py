"""Pytest plugin: one PostgreSQL and one Valkey for a test run, shared by all its xdist workers.

Only started where DATABASE_URL or REDIS_URL is unset. It acts before pytest-django reads the settings; the
workers find the URLs in the environment they inherit.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

import pytest

from tests.databases import TEMPLATE, drop_database, name_template
from workers.local.children import Children
from workers.local.home import Home, HomeInUse
from workers.local.postgres import start_postgres
from workers.local.valkey import start_valkey

HOMES = Path(tempfile.gettempdir()) / f"refundry-tests-{os.getuid()}"
# A test server's files are thrown away: only a crash of the machine could tell the difference.
FORGETFUL = {"fsync": "off", "full_page_writes": "off", "max_connections": "300"}
STALE_SECONDS = 60
_run = ExitStack()


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Iterator[None]:
    os.environ.setdefault("SECRET_KEY", "only-for-tests")
    os.environ.setdefault("NUMBER_PREFIX", "RF")
    if not (os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")):
        _start_servers()
    if TEMPLATE not in os.environ:
        name_template()
        _run.callback(drop_database, os.environ[TEMPLATE])
    _take_own_redis_database()
    return (yield)


def pytest_unconfigure() -> None:
    _run.close()


def _start_servers() -> None:
    home, lock = _run.enter_context(throwaway_home())
    children = Children(home.logs, inherited=[lock])
    _run.callback(children.stop)
    if not os.environ.get("DATABASE_URL"):
        os.environ["DATABASE_URL"] = start_postgres(home, children, FORGETFUL).url("refundry")
    if not os.environ.get("REDIS_URL"):
        os.environ["REDIS_URL"] = start_valkey(home, children).url()


@contextmanager
def throwaway_home() -> Iterator[tuple[Home, IO[str]]]:
    """A locked home that a server under another account can reach; pytest's own folders are closed again and again.

    Before it, what runs left that were killed, the benchmark's among them.
    """
    HOMES.mkdir(exist_ok=True)
    _remove_stale_homes()
    home = Home(Path(tempfile.mkdtemp(dir=HOMES)))
    home.path.chmod(0o711)
    try:
        with home.lock() as lock:
            yield home, lock
    finally:
        home.remove()


def _remove_stale_homes() -> None:
    """Locked by nobody, neither a run nor what it started; and old, for one just made is not locked yet."""
    for path in HOMES.glob("*"):
        with suppress(HomeInUse, FileNotFoundError):
            if path.stat().st_mtime < time.time() - STALE_SECONDS:
                home = Home(path)
                with home.lock():
                    home.remove()


def _take_own_redis_database() -> None:
    """Database 0 for a run without workers, n + 1 for worker gw<n>: flushing one leaves the others alone."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker:
        server, _, _ = os.environ["REDIS_URL"].rpartition("/")
        os.environ["REDIS_URL"] = f"{server}/{int(worker.removeprefix('gw')) + 1}"
