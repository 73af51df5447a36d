"""Stands behind an account whose money no gateway moves, as cash that was collected at the door: a person pays it back,
and says so with the proof."""

from workers.adapters.unconfigured import UnconfiguredGateway
from workers.ports import NO_LIMITS, Capabilities, Limits, NotSent


class ManualGateway(UnconfiguredGateway):
    def __init__(self, limits: Limits = NO_LIMITS) -> None:
        self.capabilities = Capabilities(
            look_up=False, idempotency_keys=False, listing=False, by_hand=True, limits=limits
        )
        self._why = NotSent("a person pays it, and says so")
