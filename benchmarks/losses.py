"""Processes of a pool that were lost: a contender goes on with those it has left, or new ones, and its figures are of
something else than they say.

Their parents log it, Celery of its workers and gunicorn of its own; a worker that Celery replaces in due course ends
well. The parents themselves are children of the run, which fails when one of them ends.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

_LOST = re.compile(rb"Process '[^']*' pid:\d+ exited with .*|Worker \(pid:\d+\) was sent .*")


class ProcessLost(Exception):
    """A row is without figures, for not all of its contenders' processes were there to its end."""


@dataclass
class Losses:
    """`logs` is the folder of all that is started; what has been told once is not told again."""

    logs: Path
    _read: dict[Path, int] = field(default_factory=dict)

    def check(self) -> None:
        """Raises ProcessLost."""
        if lost := [f"{log.stem}: {line}" for log in sorted(self.logs.glob("*.log")) for line in self._new(log)]:
            raise ProcessLost("; ".join(lost))

    def _new(self, log: Path) -> list[str]:
        with log.open("rb") as file:
            file.seek(self._read.get(log, 0))
            said = file.read()
            self._read[log] = file.tell()
        return [found.decode(errors="replace") for found in _LOST.findall(said)]
