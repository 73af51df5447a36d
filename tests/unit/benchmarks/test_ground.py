"""What a run's processes leave goes with its home, though they are killed in the end."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import ground
from benchmarks.ground import prepared_ground
from tests import servers


def test_what_processes_leave_in_the_temporary_folder_goes_with_the_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    server = SimpleNamespace(child=None, url=str)
    stand_ins: dict[str, Any] = {
        "Children": lambda *given, **named: SimpleNamespace(run=lambda command: None, stop=lambda: None),
        "start_postgres": lambda *given: server,
        "start_valkey": lambda *given: server,
        "ensure_database": lambda *given: "",
        "django": SimpleNamespace(setup=lambda: None),
        "_have_ledger_checked": lambda: None,
    }
    for name, stand_in in stand_ins.items():
        monkeypatch.setattr(ground, name, stand_in)
    monkeypatch.setattr(os, "environ", {})
    monkeypatch.setattr(servers, "HOMES", tmp_path)
    with prepared_ground() as prepared:
        folder = Path(prepared.product.worker().env["TMPDIR"])
        assert folder.parent == prepared.product.home.path
        (folder / "pymp-1").mkdir()
    assert not any(tmp_path.iterdir())
