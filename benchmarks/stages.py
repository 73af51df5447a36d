"""What rows find ready when they begin, and share: starting processes took a quick run longer than measuring them."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from benchmarks.ground import Ground


@dataclass(frozen=True)
class Stage:
    """`module` opens it by `opened(ground, rows)`; modules of rows and stages can be imported once Django is ready."""

    module: str
    rows: Sequence[str]

    def opened(self, ground: Ground, rows: Sequence[str]) -> AbstractContextManager[Any]:
        """For these of its rows."""
        stage: AbstractContextManager[Any] = import_module(f"benchmarks.{self.module}").opened(ground, rows)
        return stage


#: In the order in which they are run. Growth empties the tables, and comes last.
STAGES = (
    Stage("parties", ("drain", "calls", "intake", "end_to_end", "clicks")),
    Stage("outside", ("gateway", "mail")),
    Stage("installation", ("idle", "wake", "valkey_down")),
    Stage("growth", ("growth",)),
)
ROWS = tuple(row for stage in STAGES for row in stage.rows)
