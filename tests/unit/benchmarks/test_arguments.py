"""What cannot be done is refused in one line, before anything is started."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import __main__ as program
from benchmarks.history import last_history
from benchmarks.stages import ROWS
from workers.local.product import CHECKOUT


def refusal(capsys: pytest.CaptureFixture[str], *given: str) -> str:
    with pytest.raises(SystemExit) as ended:
        program._arguments(given)
    assert ended.value.code == 2
    [said] = capsys.readouterr().err.splitlines()
    return str(said).removeprefix("python -m benchmarks: error: ")


def test_figures_that_could_not_be_written_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(capsys, "--json", str(tmp_path)) == f"argument --json: {tmp_path} is a folder"
    missing = tmp_path / "none"
    assert refusal(capsys, "--json", str(missing / "x.json")) == f"argument --json: there is no folder {missing}"
    assert program._arguments(["--json", str(tmp_path / "x.json")]).json == tmp_path / "x.json"
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("history", ["abc", "-1", "1e6", "99999"])
def test_a_history_that_cannot_be_is_refused_where_it_counts(
    history: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BENCHMARK_HISTORY", history)
    assert refusal(capsys).startswith(f"BENCHMARK_HISTORY={history} is ")
    assert program._arguments(["--only", "drain"]).only == ["drain"]


def test_a_history_that_can_be_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [last_history(quick=quick) for quick in (False, True)] == [1_000_000, 10_000]
    monkeypatch.setenv("BENCHMARK_HISTORY", "10000000")
    assert last_history(quick=False) == 10_000_000
    monkeypatch.setenv("BENCHMARK_HISTORY", "4000")
    assert last_history(quick=True) == 4000


def test_rows_are_named_with_commas_and_spaces() -> None:
    assert program._arguments(["--only", "drain, calls clicks,drain"]).only == ["drain", "calls", "clicks"]


def test_a_row_that_nobody_knows_is_refused_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    there_are = f"there are {', '.join(ROWS)}"
    assert refusal(capsys, "--only", "drain,nope") == f"argument --only: no such rows: nope; {there_are}"
    assert refusal(capsys, "--only", ", ") == f"argument --only: no rows are named; {there_are}"


def test_extras_without_a_row_that_has_any_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    expected = "dbos would take part in nothing: only drain, end_to_end have extras"
    assert refusal(capsys, "--with", "dbos", "--only", "idle", "--check") == expected


def test_what_can_be_asked_for_needs_not_be_installed_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "find_spec", lambda name: None)
    assert program._arguments(["--with", "dbos", "--check"]).extras == ["dbos"]


def made(**given: str) -> list[str]:
    """The commands of `make bench`; one that calls make itself is run even so."""
    command = [
        "make",
        "--dry-run",
        "bench",
        f"VENV={sys.prefix}",
        *(f"{name}={value}" for name, value in given.items()),
    ]
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    ran = subprocess.run(command, cwd=CHECKOUT, env=own, capture_output=True, text=True, timeout=60, check=True)
    return [line for line in ran.stdout.replace("\\\n", " ").splitlines() if "-m benchmarks" in line]


@pytest.mark.parametrize(("quick", "is_quick"), [("1", True), ("yes", True), ("0", False), ("no", False), ("", False)])
def test_make_is_quick_only_where_it_is_told_to_be(quick: str, is_quick: bool) -> None:
    [command] = made(QUICK=quick)
    assert ("--quick" in command.split()) is is_quick


def test_make_looks_at_what_is_asked_for_before_it_installs_for_it() -> None:
    look, measure = made(EXTRAS="dbos", ONLY="drain, calls")
    assert "--check && " in look and "venv-bench" in look
    assert '--only "drain, calls"' in measure and "--check" not in measure
