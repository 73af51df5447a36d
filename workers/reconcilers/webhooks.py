"""The controller of webhooks to shops: a key is the id of one delivery, an account the address it goes to."""

from collections.abc import Sequence
from typing import cast

from refunds.selectors.due import Cursor, due_page
from refunds.services.hooks.delivering import HookClaim, begin_hooks, postpone_hook, record_hooks
from refunds.services.hooks.following import follow_feed
from refunds.services.rows import TIMING
from workers.backoff import backoff_seconds
from workers.contract import Answered, Begun, Call
from workers.ports import GONE, Budget, Delivered, Delivery, HookSender, Refused, Unknown
from workers.reconcilers.keys import row_id, row_ids
from workers.reconcilers.looks import STALLED_SECONDS, look_in
from workers.room import Room
from workers.workqueue import Lease, Outcome, after, ok

FAILED_BASE_SECONDS = 10.0
FAILED_CAP_SECONDS = 600.0


class WebhookReconciler:
    """Tells shops what happened. Each sweep reads on in the feed first."""

    queue = "webhooks"

    def __init__(self, sender: HookSender) -> None:
        self._sender = sender
        self._due_cursor: Cursor | None = None

    def begin(self, leases: Sequence[Lease], room: Room, *, wait_ms: int | None = None) -> Begun:
        ids, outcomes = row_ids(leases)
        begun = begin_hooks(ids, has_room=room.take, wait_ms=wait_ms)
        outcomes |= {str(i): ok() for i in begun.ended}
        outcomes |= {str(i): look_in(seconds) for i, seconds in begun.later.items()}
        outcomes |= {str(i): after(room.wait_ms(slot) / 1000) for i, slot in begun.full.items()}
        calls = [Call(str(c.delivery_id), c.slot, TIMING.call_seconds, c, "webhook") for c in begun.claims]
        return Begun(outcomes, calls, [str(i) for i in begun.skipped])

    def perform(self, call: Call, budget: Budget) -> Delivery:
        """Written and signed here, on the call's own thread and outside of any lock."""
        return self._sender.send(_claim_of(call).hook(), budget=budget)

    def is_healthy(self, reply: object) -> bool:
        """A shop that wants no more is well."""
        return isinstance(reply, Delivered) or (isinstance(reply, Refused) and reply.code == GONE)

    def record(self, answers: Sequence[Answered], *, wait_ms: int | None = None) -> dict[str, Outcome]:
        looks = record_hooks([(_claim_of(a.call), _delivery(a)) for a in answers], wait_ms=wait_ms)
        return {str(i): look_in(seconds) for i, seconds in looks.items()}

    def due(self, limit: int) -> list[str]:
        follow_feed()
        ids, self._due_cursor = due_page("refunds_webhookdelivery", self._due_cursor, limit)
        return [str(i) for i in ids]

    def failed(self, key: str, error: BaseException, failures: int) -> None:
        seconds = backoff_seconds(failures, base=FAILED_BASE_SECONDS, cap=FAILED_CAP_SECONDS)
        postpone_hook(row_id(key), seconds=seconds, reason=f"{type(error).__name__}: {error}")

    def stalled(self, key: str) -> None:
        postpone_hook(row_id(key), seconds=STALLED_SECONDS, reason="stalled: it alone has ended several workers")


def _claim_of(call: Call) -> HookClaim:
    return cast(HookClaim, call.payload)


def _delivery(answered: Answered) -> Delivery:
    if answered.error is not None:
        return Unknown(f"{type(answered.error).__name__}: {answered.error}")
    return cast(Delivery, answered.reply)
