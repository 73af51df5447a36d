"""Laying traps for a worker that runs as `tests.stories.faulty_worker` (see `trapdoors`)."""

import json
import os
import signal
from pathlib import Path

from tests.processes import Stack
from tests.waiting import eventually

WORKER = "tests.stories.faulty_worker"
KILL, FREEZE, WAKE = signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT


class Trap:
    """One process of the worker gets the signal when it comes to `point` with what is marked (an order's number, its
    payment, a pickup's number); `whole`: all of them; `stays`: each one that comes there, until it is lifted."""

    def __init__(
        self,
        stack: Stack,
        point: str,
        *marks: str,
        does: signal.Signals = KILL,
        whole: bool = False,
        stays: bool = False,
    ) -> None:
        self._trap, self._sprung, self._passed = (
            stack.home.path / name for name in ("trap.json", "sprung.json", "passed.json")
        )
        for file in (self._sprung, self._passed):
            file.unlink(missing_ok=True)
        content = {"point": point, "marks": marks, "signal": does, "whole": whole, "stays": stays}
        _write(self._trap, json.dumps(content))

    def springs(self) -> None:
        """Wait until it has acted."""
        eventually(self._sprung.exists)

    def lift(self) -> None:
        self._trap.unlink(missing_ok=True)

    def wake(self) -> None:
        """Let the frozen process go on, and wait until it has put down the refund it froze with."""
        os.kill(json.loads(self._sprung.read_text())["pid"], WAKE)
        eventually(self._passed.exists)


def _write(file: Path, text: str) -> None:
    draft = file.with_suffix(".draft")
    draft.write_text(text)
    draft.rename(file)
