"""A run that is told to stop cleans up and says so in one line; one that was killed is cleaned up after."""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks import __main__ as program
from tests import servers
from tests.servers import throwaway_home
from workers.local.home import Home


@pytest.fixture
def cleaned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of a run that is asked to stop while it measures, and again while it cleans up."""
    cleaned: list[str] = []

    @contextmanager
    def prepared_ground(extras: Sequence[str]) -> Iterator[Any]:
        try:
            yield None
        finally:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.raise_signal(number)
            cleaned.append("all of it")

    monkeypatch.setattr(os, "environ", {})
    monkeypatch.setattr(sys, "argv", ["benchmarks"])
    monkeypatch.setattr(program, "prepared_ground", prepared_ground)
    return cleaned


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_told_to_stop_cleans_up_and_says_so_in_one_line(
    number: signal.Signals,
    cleaned: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = signal.signal(number, signal.default_int_handler)
    monkeypatch.setattr(program, "machine", lambda extras: signal.raise_signal(number))
    try:
        assert program.main() == 128 + number
    finally:
        assert signal.signal(number, before) is signal.default_int_handler
    assert cleaned == ["all of it"]
    assert capsys.readouterr().err == f"stopped by {number.name}\n"


def test_a_hangup_that_is_ignored_stays_so(cleaned: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """As under nohup. A shell's background job, which a run of the tests may be, ignores SIGINT as well."""
    wanted = {signal.SIGHUP: signal.SIG_IGN, signal.SIGINT: signal.default_int_handler}
    before = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    monkeypatch.setattr(program, "machine", lambda extras: signal.raise_signal(signal.SIGHUP) or "")
    monkeypatch.setattr(program, "STAGES", ())
    try:
        assert program.main() == 128 + signal.SIGINT  # which ends its cleaning up
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.fixture
def homes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(servers, "HOMES", tmp_path / "homes")
    (tmp_path / "homes").mkdir()
    return tmp_path / "homes"


def old_home(homes: Path, name: str) -> Home:
    home = Home(homes / name)
    home.lock().close()
    (home.path / "postgres").mkdir()
    os.utime(home.path, (0, 0))
    return home


def test_what_a_killed_run_left_is_removed_by_the_next(homes: Path) -> None:
    old_home(homes, "killed")
    with throwaway_home() as (home, _):
        assert list(homes.iterdir()) == [home.path]


def test_the_home_of_a_run_that_lives_is_never_removed_however_old(homes: Path) -> None:
    with old_home(homes, "living").lock() as lock, throwaway_home() as (home, _):
        assert {*homes.iterdir()} == {homes / "living", home.path}
        assert (homes / "living" / "postgres").exists() and not lock.closed


def test_one_that_was_only_just_made_is_left_alone(homes: Path) -> None:
    (homes / "young").mkdir()
    with throwaway_home() as (home, _):
        assert {*homes.iterdir()} == {homes / "young", home.path}


def test_nothing_is_left_of_a_run_that_ended(homes: Path) -> None:
    with throwaway_home():
        pass
    assert not any(homes.iterdir())
