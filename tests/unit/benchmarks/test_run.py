"""A run says of each row how long it took, and of its figures whether they are of a row that was cut short."""

from types import SimpleNamespace

import pytest

from benchmarks import __main__ as program
from benchmarks.__main__ import Run
from benchmarks.budgets import Budget
from benchmarks.figures import Figures
from benchmarks.goals import Goal


def run_of(stage: object, budget: Budget, *, quick: bool) -> list[Figures | Goal]:
    budget.cut.append("1 of 3 rounds")
    return [Figures("mail", {"mail": {"refunds": 1}}), Goal("mail, ours / ideal", ">= 0.5", 0.7)]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(program, "import_module", lambda name: SimpleNamespace(run=run_of))
    run = Run(quick=False)
    run.row("mail", None)
    return run


def test_a_row_says_how_long_it_took(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    _, times, _ = run.tables()
    assert list(times.rows) == ["mail", "all"]


def test_a_row_that_was_cut_short_is_told_of_below_the_goals(run: Run) -> None:
    *_, goals = run.tables()
    assert goals.text().splitlines()[-1] == "mail was cut short: 1 of 3 rounds"
    assert goals.values()["notes"] == ["mail was cut short: 1 of 3 rounds"]


def test_progress_is_printed_at_once(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(program, "import_module", lambda name: SimpleNamespace(run=run_of))
    Run(quick=True).row("mail", None)
    assert capsys.readouterr().out == "mail\n  mail took 0 s, cut short: 1 of 3 rounds\n"
