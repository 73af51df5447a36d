"""From one version of a policy to the next while refunds are running. Pure.

New refunds are pinned to the version in force. Running ones of which no money was ever claimed are planned anew, at
most so many per pass, the oldest first; the others end on the version they began with: a payout cannot be replaced.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from refunds.conditions import FALSE, TRUE, Condition

PROGRESSING, AVAILABLE = "Progressing", "Available"


@dataclass(frozen=True, slots=True)
class Running:
    """Open refunds by the generation they are pinned to, and how many of the old ones have no money claimed."""

    by_generation: Mapping[int, int]
    movable: int

    def old(self, generation: int) -> int:
        return sum(count for pinned, count in self.by_generation.items() if pinned != generation)


def batch(running: Running, *, suspended: bool, most: int) -> int:
    """So many are planned anew in this pass."""
    return 0 if suspended else min(running.movable, most)


def conditions(running: Running, *, in_force: int | None, suspended: bool) -> list[Condition]:
    """How far the rollout has come, after the pass."""
    if in_force is None:
        return [Condition(AVAILABLE, FALSE, "NothingInForce", "No version of it has come into force.")]
    available = Condition(AVAILABLE, TRUE, "InForce", f"Generation {in_force} is in force.")
    return [available, _progressing(running, in_force, suspended)]


def _progressing(running: Running, in_force: int, suspended: bool) -> Condition:
    old = running.old(in_force)
    if suspended and running.movable:
        return Condition(PROGRESSING, FALSE, "Suspended", f"{running.movable} refunds wait on older versions.")
    if running.movable:
        return Condition(PROGRESSING, TRUE, "Replanning", f"{running.movable} refunds are still to be planned anew.")
    ending = f" {old} end on older versions: their money is claimed." if old else ""
    return Condition(PROGRESSING, FALSE, "Complete", f"All that can follow generation {in_force} do.{ending}")
