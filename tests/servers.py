"""Pytest plugin: one PostgreSQL and one Valkey for a test run, shared by all its xdist workers.

Only started where DATABASE_URL or REDIS_URL is unset. It acts before pytest-django reads the settings; the
workers find the URLs in the environment they inherit.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from workers.local.children import Children
from workers.local.home import Home, HomeInUse
from workers.local.postgres import start_postgres
from workers.local.valkey import start_valkey

RUNS = Path(tempfile.gettempdir()) / f"refundry-tests-{os.getuid()}"
# A test server's files are thrown away: only a crash of the machine could tell the difference.
FORGETFUL = {"fsync": "off", "full_page_writes": "off", "max_connections": "300"}
_servers: list[Children] = []


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests() -> Iterator[None]:
    os.environ.setdefault("SECRET_KEY", "only-for-tests")
    if not (os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")):
        _start_servers()
    _take_own_redis_database()
    return (yield)


def pytest_unconfigure() -> None:
    while _servers:
        _servers.pop().stop()
        _remove_ended_runs()


def _start_servers() -> None:
    _remove_ended_runs()
    home = _new_home()
    children = Children(home.logs, inherited=[home.lock()])
    _servers.append(children)
    if not os.environ.get("DATABASE_URL"):
        os.environ["DATABASE_URL"] = start_postgres(home, children, FORGETFUL).url("refundry")
    if not os.environ.get("REDIS_URL"):
        os.environ["REDIS_URL"] = start_valkey(home, children).url()


def _new_home() -> Home:
    RUNS.mkdir(exist_ok=True)
    path = Path(tempfile.mkdtemp(dir=RUNS))
    path.chmod(0o711)
    return Home(path)


def _remove_ended_runs() -> None:
    """A run's folder is locked while it lives; what is free was left by an earlier one."""
    for path in RUNS.glob("*"):
        with suppress(HomeInUse, FileNotFoundError), Home(path).lock():
            shutil.rmtree(path, ignore_errors=True)


def _take_own_redis_database() -> None:
    """Database 0 for a run without workers, n + 1 for worker gw<n>: flushing one leaves the others alone."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker:
        server, _, _ = os.environ["REDIS_URL"].rpartition("/")
        os.environ["REDIS_URL"] = f"{server}/{int(worker.removeprefix('gw')) + 1}"
