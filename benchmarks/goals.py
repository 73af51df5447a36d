"""What the product was to reach, and what it did: the table that ends a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Table(Protocol):
    """What a row of the benchmark prints, for people and as JSON."""

    @property
    def name(self) -> str: ...
    def text(self) -> str: ...
    def values(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Goal:
    """A ratio of two figures of one run. `reached` is the median of the rounds where there are several."""

    name: str
    goal: float
    reached: float
    at_most: bool = False

    @property
    def is_met(self) -> bool:
        return self.reached <= self.goal if self.at_most else self.reached >= self.goal

    def text(self) -> str:
        sign = "<=" if self.at_most else ">="
        return f"  {self.name:64}{sign:>4} {self.goal:<6g}{self.reached:>9.3g}  {'met' if self.is_met else 'missed'}"

    def values(self) -> dict[str, Any]:
        return {"goal": self.goal, "at_most": self.at_most, "reached": self.reached, "met": self.is_met}


@dataclass(frozen=True)
class Result:
    """What a row returns."""

    tables: Sequence[Table]
    goals: Sequence[Goal] = ()


@dataclass(frozen=True)
class Goals:
    """All goals of the rows that ran."""

    goals: Sequence[Goal]
    name: str = "goals"

    def text(self) -> str:
        return "\n".join([f"{self.name:66}{'goal':>7}{'reached':>15}", *(goal.text() for goal in self.goals)])

    def values(self) -> dict[str, Any]:
        return {goal.name: goal.values() for goal in self.goals}
