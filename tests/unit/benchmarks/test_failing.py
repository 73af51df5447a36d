"""A row that fails takes none of the figures with it that were measured before."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import __main__ as program
from benchmarks.budgets import Budget
from benchmarks.figures import Figures


def run_of(stage: object, budget: Budget, *, quick: bool) -> list[Figures]:
    return [Figures("mail", {"mail": {"refunds": 7}})]


def fail(stage: object, budget: Budget, *, quick: bool) -> list[Figures]:
    raise RuntimeError("the gateway ended")


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row after `mail` fails."""

    @contextmanager
    def prepared_ground(extras: Sequence[str]) -> Iterator[Any]:
        yield None

    def module(name: str) -> SimpleNamespace:
        return SimpleNamespace(run=run_of if name == "benchmarks.mail" else fail)

    stage = SimpleNamespace(rows=("mail", "gateway", "idle"), opened=lambda ground, rows: nullcontext())
    monkeypatch.setattr(os, "environ", {})
    stand_ins = {"prepared_ground": prepared_ground, "machine": str, "import_module": module, "STAGES": (stage,)}
    for name, stand_in in stand_ins.items():
        monkeypatch.setattr(program, name, stand_in)


@pytest.mark.usefixtures("failing")
def test_what_was_measured_before_is_told_and_the_run_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.json"
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--json", str(file)])
    assert program.main() == 1
    said = capsys.readouterr()
    assert ["mail", "7"] in [line.split() for line in said.out.splitlines()]
    assert said.err.splitlines()[-1] == "gateway failed: RuntimeError: the gateway ended"
    figures = json.loads(file.read_text())
    assert figures["failed"] == "gateway failed: RuntimeError: the gateway ended"
    assert figures["rows"]["mail"]["rows"] == {"mail": {"refunds": 7}}
    assert "idle" not in figures["rows"]["time"]["rows"]
