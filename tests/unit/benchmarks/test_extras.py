"""Extras take part only when they are asked for, and a run says so when they cannot."""

import sys

import pytest

from benchmarks import __main__ as program
from benchmarks import contenders, parties
from benchmarks.budgets import EXTRA, budget
from benchmarks.extras import KINDS


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Those that are, whatever this machine has."""
    names = set(KINDS)
    monkeypatch.setattr(program, "find_spec", lambda name: name if name in names else None)
    return names


def test_without_a_word_there_are_none() -> None:
    assert program._arguments(["--quick"]).extras == []


def test_those_that_are_named_take_part_once_in_the_order_given(installed: set[str]) -> None:
    assert program._arguments(["--with", "procrastinate,dbos,dbos"]).extras == ["procrastinate", "dbos"]


def test_a_name_that_nobody_knows_is_an_error(installed: set[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        program._arguments(["--with", "dbos,temporal"])
    assert "no such extras: temporal; there are dbos, procrastinate" in capsys.readouterr().err


def test_one_that_is_not_installed_is_an_error_that_says_what_to_run(
    installed: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    installed.remove("dbos")
    with pytest.raises(SystemExit):
        program._arguments(["--with", "dbos,procrastinate"])
    error = capsys.readouterr().err
    assert "not installed: dbos; `make bench EXTRAS=dbos,procrastinate` installs what is needed" in error


def test_nothing_of_theirs_is_imported_by_the_benchmark_itself() -> None:
    assert contenders and parties
    assert not {name.partition(".")[0] for name in sys.modules} & {"dbos", "procrastinate", "sqlalchemy"}


def test_their_rows_have_more_time_with_them_and_no_more_without() -> None:
    assert set(EXTRA) == parties.EXTRA_ROWS
    for row, seconds in EXTRA.items():
        alone = budget(row, quick=False).seconds
        assert budget(row, quick=False, extras=2).seconds == alone + 2 * seconds
    assert budget("clicks", quick=False, extras=2).seconds == budget("clicks", quick=False).seconds


def test_what_is_no_extra_needs_none_of_the_names_of_extras() -> None:
    assert not set(KINDS) & (set(parties.KINDS) | set(parties.DOORS))
