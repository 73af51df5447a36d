"""The refund controller: T1 and T2 of `refunds.services.reconcile`, and between them the gateways' calls."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

from orders.locks import LockNotHad
from refunds.parcels import ParcelAct
from refunds.selectors.due import Cursor, due_page, refunds_with_unapplied_webhooks
from refunds.services import reconcile, setbacks
from refunds.services.answers import Told
from refunds.services.parcel_calls import ParcelAnswer
from refunds.services.reconcile import Claims, Outbound, ParcelOut, ParcelTold, Pass
from refunds.services.rows import TIMING
from workers.contract import Answered, Begun, Call
from workers.ports import Budget, Capabilities, Courier, LookUp, NotSent, PaymentGateway, Refused, Reply, Unknown
from workers.reconcilers.keys import row_id, row_ids
from workers.reconcilers.looks import look_in
from workers.room import Room
from workers.workqueue import Lease, Outcome, after


class RefundReconciler:
    """`is_courier` tells which accounts are couriers'; all others are gateways'."""

    queue = "refunds"

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
        """T1 for the leased refunds."""
        ids, ended = row_ids(leases)
        claims = Claims(take=room.take, wait=lambda slot: room.wait_ms(slot) / 1000)
        try:
            done = reconcile.begin(ids, claims, can=cache(self._can), wait_ms=wait_ms)
        except LockNotHad:
            return Begun(ended, skipped=[str(i) for i in ids])
        calls = [Call(str(o.refund_id), o.slot, TIMING.call_seconds, o, _leg(o)) for o in done.calls]
        return Begun(outcomes=ended | _outcomes(done), calls=calls, skipped=[str(i) for i in done.skipped])

    def perform(self, call: Call, budget: Budget) -> Reply | LookUp | ParcelAnswer:
        """Send, or ask. On a pool thread, no row locked."""
        out = _outbound(call)
        if isinstance(out, ParcelOut):
            return _ask_courier(self._courier(out.account), out, budget)
        return ask_gateway(self._gateway(out.account), out, budget)

    def is_healthy(self, reply: object) -> bool:
        """A decline is an answer of a gateway that works."""
        return not isinstance(reply, Unknown | NotSent) and not (isinstance(reply, Refused) and reply.retryable)

    def record(self, answers: Sequence[Answered], *, wait_ms: int | None = None) -> dict[str, Outcome]:
        """T2 for whatever has come."""
        try:
            done = reconcile.record([_told(a) for a in answers], can=cache(self._can), wait_ms=wait_ms)
        except LockNotHad:
            return {}
        return _outcomes(done)

    def due(self, limit: int) -> list[str]:
        """The sweep's next page, and refunds that webhooks nobody applied speak of."""
        ids, self._swept_to = due_page("refunds_refund", self._swept_to, limit)
        return [str(i) for i in dict.fromkeys([*ids, *refunds_with_unapplied_webhooks(limit)])]

    def failed(self, key: str, error: BaseException, failures: int) -> None:
        setbacks.postpone(row_id(key), failures=failures)

    def stalled(self, key: str) -> None:
        setbacks.mark_stalled(row_id(key))

    def _can(self, account: str) -> Capabilities:
        """Asked of once a pass."""
        return (self._courier if self._is_courier(account) else self._gateway)(account).capabilities


def _leg(out: Outbound | ParcelOut) -> str:
    if isinstance(out, ParcelOut):
        return f"courier_{out.act}"
    if out.asks:
        return "gateway_look_up"
    return "gateway_void" if out.voids else "gateway_refund"


def _outbound(call: Call) -> Outbound | ParcelOut:
    assert isinstance(call.payload, Outbound | ParcelOut)
    return call.payload


def ask_gateway(gateway: PaymentGateway, out: Outbound, budget: Budget) -> Reply | LookUp:
    """Make a claimed call."""
    movement = out.movement
    if out.voids:
        return (gateway.look_up_void if out.asks else gateway.void)(movement, budget=budget)
    if out.asks:
        return gateway.look_up(movement.payment_reference, movement.number, budget=budget)
    return gateway.refund(movement, budget=budget)


def _ask_courier(courier: Courier, out: ParcelOut, budget: Budget) -> ParcelAnswer:
    match out.act:
        case ParcelAct.BOOK if out.pickup:
            return courier.book(out.pickup, budget=budget)
        case ParcelAct.INTERCEPT if out.intercept:
            return courier.intercept(out.intercept, budget=budget)
        case ParcelAct.CANCEL:
            return courier.cancel(out.number, waybill=out.waybill, key=f"{out.key}-cancel", budget=budget)
        case ParcelAct.FIND:
            return courier.look_up(out.number, budget=budget)
    return courier.track(out.waybill, budget=budget)


def _told(answered: Answered) -> Told | ParcelTold:
    """An exception, or a call given up at its deadline, is an unknown outcome."""
    out = _outbound(answered.call)
    if isinstance(out, ParcelOut):
        return ParcelTold(out, Unknown(repr(answered.error)) if answered.error else cast(ParcelAnswer, answered.reply))
    answer = Unknown(repr(answered.error)) if answered.error else cast("Reply | LookUp", answered.reply)
    return Told(out.refund_id, out.movement.number, out.of, answer, asked=out.asks)


def _outcomes(done: Pass) -> dict[str, Outcome]:
    """Per refund: near looks are the queue's, far ones the sweep's. Refunds with calls out have no outcome yet."""
    calling = {o.refund_id for o in done.calls}
    outcomes = {str(i): look_in(seconds) for i, seconds in done.due_in.items() if i not in calling}
    outcomes.update({str(i): after(seconds) for i, seconds in done.waiting.items() if i not in calling})
    return outcomes
