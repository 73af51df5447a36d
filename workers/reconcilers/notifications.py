"""The controller of messages: a key is the id of one notification, an account the channel it goes over."""

from collections.abc import Mapping, Sequence
from typing import cast

from refunds.messages.render import render_message
from refunds.selectors.due import Cursor, due_page
from refunds.services.notifications import (
    Claim,
    Providers,
    begin_notifications,
    postpone_notification,
    record_deliveries,
)
from refunds.services.rows import TIMING
from workers.backoff import backoff_seconds
from workers.contract import Answered, Begun, Call
from workers.ports import Budget, Delivered, Delivery, Messenger, Refused, Unknown
from workers.reconcilers.keys import row_id, row_ids
from workers.reconcilers.looks import STALLED_SECONDS, look_in
from workers.room import Room
from workers.workqueue import Lease, Outcome, after, ok

FAILED_BASE_SECONDS = 10.0
FAILED_CAP_SECONDS = 600.0


class NotificationReconciler:
    """Sends what customers are owed. `messengers` by channel ("email", "sms"); a channel without one is not in use."""

    queue = "notifications"

    def __init__(self, messengers: Mapping[str, Messenger]) -> None:
        self._messengers = messengers
        self._due_cursor: Cursor | None = None

    def begin(self, leases: Sequence[Lease], room: Room, *, wait_ms: int | None = None) -> Begun:
        ids, outcomes = row_ids(leases)
        providers = Providers(self._messengers.keys(), room.take)
        begun = begin_notifications(ids, providers=providers, wait_ms=wait_ms)
        outcomes |= {str(i): ok() for i in begun.ended}
        outcomes |= {str(i): look_in(seconds) for i, seconds in begun.later.items()}
        outcomes |= {str(i): after(room.wait_ms(channel) / 1000) for i, channel in begun.full.items()}
        calls = [
            Call(
                str(claim.notification_id),
                claim.facts.channel,
                TIMING.call_seconds,
                claim,
                f"message_{claim.facts.channel}",
            )
            for claim in begun.claims
        ]
        return Begun(outcomes, calls, [str(i) for i in begun.skipped])

    def perform(self, call: Call, budget: Budget) -> Delivery:
        """Rendered here, on the call's own thread and outside of any lock."""
        facts = _claim_of(call).facts
        return self._messengers[facts.channel].send(render_message(facts), budget=budget)

    def is_healthy(self, reply: object) -> bool:
        """A refused address is the address's fault, not the provider's."""
        return isinstance(reply, Delivered) or (isinstance(reply, Refused) and not reply.retryable)

    def record(self, answers: Sequence[Answered], *, wait_ms: int | None = None) -> dict[str, Outcome]:
        looks = record_deliveries([(_claim_of(a.call), _delivery(a)) for a in answers], wait_ms=wait_ms)
        return {str(i): look_in(seconds) for i, seconds in looks.items()}

    def due(self, limit: int) -> list[str]:
        ids, self._due_cursor = due_page("refunds_notification", self._due_cursor, limit)
        return [str(i) for i in ids]

    def failed(self, key: str, error: BaseException, failures: int) -> None:
        seconds = backoff_seconds(failures, base=FAILED_BASE_SECONDS, cap=FAILED_CAP_SECONDS)
        postpone_notification(row_id(key), seconds=seconds, reason=f"{type(error).__name__}: {error}")

    def stalled(self, key: str) -> None:
        postpone_notification(
            row_id(key), seconds=STALLED_SECONDS, reason="stalled: it alone has ended several workers"
        )


def _claim_of(call: Call) -> Claim:
    return cast(Claim, call.payload)


def _delivery(answered: Answered) -> Delivery:
    if answered.error is not None:
        return Unknown(f"{type(answered.error).__name__}: {answered.error}")
    return cast(Delivery, answered.reply)
