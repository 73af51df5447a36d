"""A process that is kept: what it says counts from its start on."""

import os
import sys
from pathlib import Path
from typing import IO

import pytest

from tests.waiting import eventually
from workers.local import children
from workers.local.children import Children, Command


def test_what_it_says_before_its_starter_looks_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a child may run first; nobody would ever hear that it is ready."""
    spawn = children._spawn

    def slowly(command: Command, log: IO[bytes]) -> object:
        process = spawn(command, log)
        eventually(lambda: Path(log.name).read_bytes().endswith(b"ready\n"))
        return process

    monkeypatch.setattr(children, "_spawn", slowly)
    (tmp_path / "child.log").write_text("of an earlier run\n")
    family = Children(tmp_path)
    try:
        argv = [sys.executable, "-c", "import time; print('ready', flush=True); time.sleep(60)"]
        child = family.start(Command("child", argv, dict(os.environ), cwd=tmp_path))
        family.wait_until(child, lambda: child.says("ready"), seconds=5)
        assert not child.says("earlier")
    finally:
        family.stop()
