"""What cannot be done is refused in one line, before anything is started."""

from pathlib import Path

import pytest

from benchmarks import __main__ as program
from benchmarks.history import last_history


def refusal(capsys: pytest.CaptureFixture[str], *given: str) -> str:
    with pytest.raises(SystemExit) as ended:
        program._arguments(given)
    assert ended.value.code == 2
    said: str = capsys.readouterr().err.splitlines()[-1]
    return said.removeprefix("python -m benchmarks: error: ")


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
