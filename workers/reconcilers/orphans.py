"""The controller of orphans: a key is the id of one thing that a gateway or a courier has and nobody here asked for."""

from collections.abc import Callable, Sequence

from orders.locks import LockNotHad
from refunds.calls import retry_delay
from refunds.models.orphan import OrphanKind
from refunds.selectors.due import Cursor, due_page
from refunds.services import orphans
from refunds.services.orphan_look import postpone_orphan
from refunds.services.orphans import Looked, OrphanOut, OrphanTold
from refunds.services.rows import TIMING
from workers.contract import Answered, Begun, Call
from workers.ports import (
    Budget,
    Cancellation,
    Cancelled,
    Capabilities,
    Courier,
    Found,
    LookUp,
    NotSent,
    PaymentGateway,
    Refused,
    Unknown,
)
from workers.reconcilers.keys import row_id, row_ids
from workers.reconcilers.looks import STALLED_SECONDS, look_in
from workers.room import Room
from workers.workqueue import Lease, Outcome, after


class OrphanReconciler:
    """Keeps, adopts or calls off (`refunds.orphans`). Several pumps may work on orphans at once."""

    queue = "orphans"

    def __init__(
        self,
        gateway: Callable[[str], PaymentGateway],
        courier: Callable[[str], Courier],
        *,
        is_courier: Callable[[str], bool],
    ) -> None:
        self._gateway = gateway
        self._courier = courier
        self._is_courier = is_courier
        self._swept_to: Cursor | None = None

    def begin(self, leases: Sequence[Lease], room: Room, *, wait_ms: int | None = None) -> Begun:
        ids, ended = row_ids(leases)
        try:
            looked = orphans.begin(ids, room.take, can=self._can, wait_ms=wait_ms)
        except LockNotHad:
            return Begun(ended, skipped=[str(i) for i in ids])
        calls = [Call(str(out.orphan_id), out.slot, TIMING.call_seconds, out, _leg(out)) for out in looked.calls]
        outcomes = _outcomes(looked) | {str(i): after(room.wait_ms(slot) / 1000) for i, slot in looked.full.items()}
        return Begun(ended | outcomes, calls, [str(i) for i in looked.skipped])

    def perform(self, call: Call, budget: Budget) -> LookUp | Cancellation:
        out = _outbound(call)
        if out.kind is OrphanKind.PICKUP:
            courier, key = self._courier(out.account), f"{out.number}-{out.reference}-cancel"
            return courier.cancel(out.number, waybill=out.reference, key=key, budget=budget)
        return self._gateway(out.account).look_up(out.payment_reference, out.number, budget=budget)

    def is_healthy(self, reply: object) -> bool:
        return isinstance(reply, Found | Cancelled) or (isinstance(reply, Refused) and not reply.retryable)

    def record(self, answers: Sequence[Answered], *, wait_ms: int | None = None) -> dict[str, Outcome]:
        told = [OrphanTold(_outbound(answered.call), _answer(answered)) for answered in answers]
        try:
            return _outcomes(orphans.record(told, can=self._can, wait_ms=wait_ms))
        except LockNotHad:
            return {}

    def due(self, limit: int) -> list[str]:
        ids, self._swept_to = due_page("refunds_orphan", self._swept_to, limit)
        return [str(i) for i in ids]

    def failed(self, key: str, error: BaseException, failures: int) -> None:
        postpone_orphan(row_id(key), seconds=retry_delay(failures, TIMING), reason=repr(error))

    def stalled(self, key: str) -> None:
        postpone_orphan(row_id(key), seconds=STALLED_SECONDS, reason="stalled: it alone has ended several workers")

    def _can(self, account: str) -> Capabilities:
        return (self._courier if self._is_courier(account) else self._gateway)(account).capabilities


def _leg(out: OrphanOut) -> str:
    return "courier_cancel" if out.kind is OrphanKind.PICKUP else "gateway_look_up"


def _outbound(call: Call) -> OrphanOut:
    assert isinstance(call.payload, OrphanOut)
    return call.payload


def _answer(answered: Answered) -> LookUp | Cancellation:
    if isinstance(answered.reply, Found | Cancelled | Refused | Unknown | NotSent):
        return answered.reply
    return Unknown(repr(answered.error))


def _outcomes(looked: Looked) -> dict[str, Outcome]:
    calling = {out.orphan_id for out in looked.calls} | set(looked.skipped)
    return {str(i): look_in(seconds) for i, seconds in looked.due_in.items() if i not in calling}
