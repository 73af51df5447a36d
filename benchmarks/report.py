"""Figures of a run, as a table for people and as values for JSON."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Ran:
    """One contender's drain of one backlog. `cpu` is in seconds, by whose it was."""

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

    def text(self) -> str:
        return f"  {self.contender}: {self.refunds} refunds in {self.seconds:.2f} s, {self.rate:.0f}/s"


@dataclass
class Contest:
    """Two contenders, run in turn. The ratio is taken round by round, so that a slow minute slows both."""

    name: str
    first: str
    second: str
    goal: float | None = None
    ran: list[Ran] = field(default_factory=list)

    def add(self, ran: Ran) -> None:
        self.ran.append(ran)

    def of(self, contender: str) -> list[Ran]:
        return [ran for ran in self.ran if ran.contender == contender]

    def ratios(self) -> list[float]:
        """By speed."""
        return [a.rate / b.rate for a, b in self._rounds()]

    def cpu_ratios(self) -> list[float]:
        """By CPU per refund, of everybody together: what is left of a ratio on a machine that others use too."""
        return [sum(b.cpu_ms().values()) / sum(a.cpu_ms().values()) for a, b in self._rounds()]

    def values(self) -> dict[str, Any]:
        return {
            "contenders": {name: self._figures(name) for name in (self.first, self.second)},
            "ratio": {"median": median(self.ratios()), "rounds": self.ratios(), "goal": self.goal},
            "cpu_ratio": {"median": median(self.cpu_ratios()), "rounds": self.cpu_ratios()},
        }

    def text(self) -> str:
        figures = {name: self._figures(name) for name in (self.first, self.second)}
        whose = list(self.ran[0].cpu)
        lines = [self.name, _line("", ["median/s", "least/s", "most/s", "backlog", *(f"{w} ms" for w in whose)])]
        for name, f in figures.items():
            cpu = [f"{f['cpu_ms_per_refund'][w]:.2f}" for w in whose]
            rates = [f"{f[key]:.0f}" for key in ("median", "least", "most")]
            lines.append(_line(name, [*rates, str(f["backlog"]), *cpu]))
        goal = f", goal >= {self.goal:g}" if self.goal else ""
        lines.append(f"{self.first} / {self.second}: {_spread(self.ratios())}{goal}")
        lines.append(f"CPU per refund, {self.second} / {self.first}: {_spread(self.cpu_ratios())}")
        return "\n".join(lines)

    def _rounds(self) -> Iterator[tuple[Ran, Ran]]:
        return zip(self.of(self.first), self.of(self.second), strict=True)

    def _figures(self, contender: str) -> dict[str, Any]:
        runs = self.of(contender)
        rates = [ran.rate for ran in runs]
        return {
            "median": median(rates),
            "least": min(rates),
            "most": max(rates),
            "rates": rates,
            "backlog": round(median(ran.refunds for ran in runs)),
            "cpu_ms_per_refund": {name: median(ran.cpu_ms()[name] for ran in runs) for name in runs[0].cpu},
        }


def _line(name: str, cells: list[str]) -> str:
    return f"  {name:7}" + "".join(f"{cell:>15}" for cell in cells)


def _spread(ratios: list[float]) -> str:
    return f"{median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f} in {len(ratios)} rounds)"
