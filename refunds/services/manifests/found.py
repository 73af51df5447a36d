"""What a pass over a manifest has found."""

from dataclasses import dataclass, field
from typing import Any

from refunds.conditions import Condition


@dataclass(frozen=True, slots=True)
class Found:
    """`status` is the kind's own part; `look_in` seconds until the next look; `is_gone`: nothing holds it any more."""

    conditions: list[Condition] = field(default_factory=list)
    status: dict[str, Any] = field(default_factory=dict)
    look_in: float | None = None
    is_gone: bool = False
