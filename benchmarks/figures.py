"""Figures of a row without contenders, as a table for people and as values for JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Any

Row = Mapping[str, float]


@dataclass(frozen=True)
class Figures:
    """`rows` have the same columns; `goal` is what the first row was to reach."""

    name: str
    rows: Mapping[str, Row]
    goal: str = ""

    def values(self) -> dict[str, Any]:
        return {"rows": {name: dict(row) for name, row in self.rows.items()}, "goal": self.goal}

    def text(self) -> str:
        columns = next(iter(self.rows.values()))
        name, cell = (max(least, *(len(one) + 2 for one in of)) for least, of in ((24, self.rows), (16, columns)))
        lines = [self.name, _line(f"{'':{name}}", list(columns), cell)]
        lines += [_line(f"{of:{name}}", [f"{v:,.5g}" for v in row.values()], cell) for of, row in self.rows.items()]
        return "\n".join([*lines, *([f"goal: {self.goal}"] if self.goal else [])])


def percentiles_ms(seconds: Sequence[float]) -> Row:
    """Median, 95th and 99th percentile, and maximum, in milliseconds."""
    cuts = quantiles(seconds, n=100, method="inclusive")
    named = {"p50 ms": cuts[49], "p95 ms": cuts[94], "p99 ms": cuts[98], "max ms": max(seconds)}
    return {name: round(value * 1000, 1) for name, value in named.items()}


def _line(name: str, cells: Sequence[str], width: int) -> str:
    return f"  {name}" + "".join(f"{cell:>{width}}" for cell in cells)
