"""A run measures the product as shipped, on its own servers, whatever the caller's shell is set up for."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks import __main__ as program
from benchmarks.environment import leave_behind
from workers.local.home import Home
from workers.local.product import Addresses, product_environment

SHOPS = {
    "BROKER_URL": "redis://shop.example/0",
    "EMAIL_URL": "smtp://mail.shop.example",
    "SMS_URL": "https://sms.shop.example",
    "GATEWAY_ACCOUNTS": "{}",
    "COURIER_ACCOUNTS": "{}",
    "SLOTS": "1",
    "BATCH": "1",
    "LINGER_SECONDS": "0",
    "DEBUG": "1",
    "SECRET_KEY": "shop",
    "SANDBOX_WEBHOOK_URL": "https://shop.example",
    "DATABASE_URL": "postgresql://shop.example/shop",
    "REDIS_URL": "redis://shop.example/1",
    "PGPORT": "5999",
    "CELERY_CUSTOM_WORKER_POOL": "x:Y",
    "GUNICORN_CMD_ARGS": "--workers 9",
    "DJANGO_SETTINGS_MODULE": "shop.settings",
}
MACHINES = {
    "PATH": "/bin",
    "HOME": "/root",
    "LC_ALL": "C",
    "TMPDIR": "/tmp",
    "PYTHONPATH": "",
    "BENCHMARK_HISTORY": "1000000",
}


def test_what_is_the_machine_s_is_kept_and_the_rest_is_left_behind() -> None:
    environment = MACHINES | SHOPS | {"http_proxy": "http://proxy.example", "SHOP_OAK__KEY": "secret"}
    assert leave_behind(environment) == sorted(SHOPS)
    assert environment == MACHINES


def test_nothing_is_said_where_nothing_would_have_changed() -> None:
    assert leave_behind({"PATH": "/bin", "SSH_AGENT_PID": "7"}) == []


def test_a_run_gives_its_processes_the_settings_as_shipped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given: dict[str, str] = {}

    @contextmanager
    def prepared_ground(extras: Sequence[str]) -> Iterator[Any]:
        given.update(product_environment(Home(tmp_path), Addresses(), database_url="theirs", redis_url="theirs"))
        yield None

    monkeypatch.setattr(os, "environ", MACHINES | SHOPS)
    monkeypatch.setattr(sys, "argv", ["benchmarks"])
    for name, stand_in in {"prepared_ground": prepared_ground, "machine": str, "STAGES": ()}.items():
        monkeypatch.setattr(program, name, stand_in)
    assert program.main() == 0
    assert "shop" not in str(given) and not {"BROKER_URL", "SLOTS", "BATCH", "DEBUG", "PGPORT"} & given.keys()
    assert (given["DATABASE_URL"], given["REDIS_URL"]) == ("theirs", "theirs")
    said = capsys.readouterr().out.splitlines()[0]
    assert said == f"measured as shipped, on servers of its own; ignored: {', '.join(sorted(SHOPS))}"
