"""When the courier could come: asked of him while somebody chooses, outside any lock or transaction."""

import time
from typing import Any

from orders import clock
from refunds.models import Refund
from workers.ports import Budget, Courier, Slot

#: Somebody waits in front of a page. What the courier does not say by then he does not offer.
SECONDS = 3.0
MOST = 20


def offered_slots(refund: Refund, courier: Courier) -> tuple[Slot, ...]:
    """The next ones, soonest first; empty when he names none, or does not answer."""
    address: dict[str, Any] = refund.pickup_address or refund.order.shipping_address
    told = courier.slots(address, budget=Budget(SECONDS, monotonic=time.monotonic))
    if not isinstance(told, tuple):
        return ()
    now = clock.now()
    coming = {slot for slot in told if slot.starts_at > now}
    return tuple(sorted(coming, key=lambda slot: (slot.starts_at, slot.ends_at))[:MOST])
