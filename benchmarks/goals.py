"""What the product was to reach, and what it has reached: the table that ends a run."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_HOLDS = {">=": operator.ge, "<=": operator.le}


@dataclass(frozen=True)
class Goal:
    """A figure of a run; `goal` is as `>= 0.5`. Where there are several rounds, `reached` is their median."""

    name: str
    goal: str
    reached: float

    @property
    def is_reached(self) -> bool:
        relation, _, bound = self.goal.partition(" ")
        return _HOLDS[relation](self.reached, float(bound))

    def values(self) -> dict[str, Any]:
        return {"goal": self.goal, "reached": self.reached, "is_reached": self.is_reached}

    def text(self) -> str:
        return f"  {self.name:64}{self.goal:>10}{self.reached:>10.3g}  {'reached' if self.is_reached else 'MISSED'}"


@dataclass(frozen=True)
class Goals:
    """Those of all rows that ran; `notes` are what is to be known of these figures."""

    goals: Sequence[Goal]
    name: str = "goals"
    notes: Sequence[str] = field(default=())

    def text(self) -> str:
        return "\n".join([f"{self.name:66}{'goal':>10}{'reached':>10}", *(g.text() for g in self.goals), *self.notes])

    def values(self) -> dict[str, Any]:
        return {goal.name: goal.values() for goal in self.goals} | ({"notes": [*self.notes]} if self.notes else {})
