"""What several contenders reached in turn, and their ratios round by round, so that a slow minute slows all of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from benchmarks.figures import Figures

#: Whose CPU is not counted among the contenders'.
CLIENT = "client"


@dataclass(frozen=True)
class Size:
    """Of a row: how often each contender runs, and how long each time."""

    rounds: int
    seconds: float


@dataclass(frozen=True)
class Ran:
    """What one contender did with so many refunds. `cpu` is in seconds, by whose it was."""

    contender: str
    refunds: int
    seconds: float
    cpu: dict[str, float]

    @property
    def rate(self) -> float:
        return self.refunds / self.seconds

    def cpu_ms(self) -> dict[str, float]:
        """CPU milliseconds per refund."""
        return {name: 1000 * seconds / self.refunds for name, seconds in self.cpu.items()}

    def served_ms(self) -> float:
        """The same of everybody but the client."""
        return sum(ms for whose, ms in self.cpu_ms().items() if whose != CLIENT)

    def text(self) -> str:
        return f"{self.contender}: {self.refunds} refunds in {self.seconds:.2f} s, {self.rate:.0f}/s"


@dataclass
class Rounds:
    """`ran`: of each contender as many as there were rounds."""

    name: str
    ran: list[Ran] = field(default_factory=list)

    def add(self, ran: Ran) -> Ran:
        print(f"  {self.name}, {ran.text()}", flush=True)
        self.ran.append(ran)
        return ran

    def of(self, contender: str) -> list[Ran]:
        return [ran for ran in self.ran if ran.contender == contender]

    def ratio(self, first: str, second: str) -> float:
        """By speed; the median of the rounds."""
        return median(self.ratios(first, second))

    def ratios(self, first: str, second: str) -> list[float]:
        return [a.rate / b.rate for a, b in self._pairs(first, second)]

    def cpu_ratio(self, first: str, second: str) -> float:
        """How many times the CPU per refund of `second` that of `first` is; the median of the rounds."""
        return median(a.served_ms() / b.served_ms() for a, b in self._pairs(first, second))

    def table(self) -> Figures:
        return Figures(self.name, {name: self._row(name) for name in self._contenders()})

    def ratio_table(self, first: str) -> Figures:
        """Of `first` to each of the others: by speed, and by CPU per refund, which other work on the machine moves
        less."""
        rows = {f"{first} / {other}": self._ratio_row(first, other) for other in self._contenders() if other != first}
        return Figures(f"{self.name}: ratios", rows)

    def cpu_table(self, slow: Sequence[str], others: Sequence[str]) -> Figures:
        """How many times less CPU per refund each of the others took than each of the slow."""
        pairs = [(one, other) for one in slow for other in others]
        rows = {f"{one} / {other}": {"less CPU": round(self.cpu_ratio(one, other), 2)} for one, other in pairs}
        return Figures(f"{self.name}: CPU per refund", rows)

    def _contenders(self) -> list[str]:
        return list(dict.fromkeys(ran.contender for ran in self.ran))

    def _pairs(self, first: str, second: str) -> Any:
        return zip(self.of(first), self.of(second), strict=True)

    def _row(self, contender: str) -> dict[str, float]:
        runs = self.of(contender)
        rates = [ran.rate for ran in runs]
        cpu = {f"{name} ms": median(ran.cpu_ms()[name] for ran in runs) for name in runs[0].cpu}
        figures = {"median/s": median(rates), "least/s": min(rates), "most/s": max(rates), "refunds": runs[-1].refunds}
        if CLIENT in runs[0].cpu:
            cpu["client % CPU"] = median(100 * ran.cpu[CLIENT] / sum(ran.cpu.values()) for ran in runs)
        return {name: round(value, 3) for name, value in (figures | cpu).items()}

    def _ratio_row(self, first: str, other: str) -> dict[str, float]:
        ratios = self.ratios(first, other)
        figures = {"median": median(ratios), "least": min(ratios), "most": max(ratios)}
        figures["less CPU"] = self.cpu_ratio(other, first)
        return {name: round(value, 2) for name, value in figures.items()}
