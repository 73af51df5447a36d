"""What shops are told of: their events, at addresses that they named."""

from dataclasses import dataclass
from typing import Protocol

from workers.ports.calls import Budget
from workers.ports.messengers import Delivery


@dataclass(frozen=True, slots=True)
class OutgoingHook:
    """One event for one address. `identity` is the same whenever it is sent again; `secret` is a reference of this
    `channel`'s."""

    url: str
    channel: str
    secret: str
    identity: str
    body: bytes


#: The shop wants nothing more at this address.
GONE = "http_410"


class HookSender(Protocol):
    """Called from many threads at once; never raises for what a peer does."""

    def send(self, hook: OutgoingHook, *, budget: Budget) -> Delivery:
        """Send it, or say how it went; `Refused(GONE)` where the shop wants no more. Ends within the budget."""
        ...
