"""Writing down what a gateway said: the judged movement, its ledger entries and events, and what was not ours."""

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import cast

from orders.models import PaymentShare
from orders.roles import SYSTEM
from refunds.judging import Attempt, Judged, judge_look_up, judge_reply, judge_webhook, waits_for_reply
from refunds.models import GatewayRefund, InboundWebhook, LedgerEntry
from refunds.selectors.facts import parcel_fact, webhook_fact
from refunds.services.docket import Docket
from refunds.services.parcel_facts import take_parcel_webhook
from refunds.services.rows import TIMING, movement_view, put_call
from workers.ports import Capabilities, GatewayFact, GatewayStatus, LookUp, Reply

_LIVE = (GatewayStatus.PENDING, GatewayStatus.SUCCEEDED)

#: What the engine may rely on at a gateway account.
Abilities = Callable[[str], Capabilities]


@dataclass(frozen=True, slots=True)
class Told:
    """What came of one claimed call: the reply to sending, or (`asked`) the answer to asking."""

    refund_id: int
    number: str
    of: Attempt
    answer: Reply | LookUp
    asked: bool = False


def judge(docket: Docket, told: Told, can: Abilities) -> None:
    """Take an answer into the docket."""
    movement = next(m for m in docket.movements[told.refund_id] if m.number == told.number)
    view = movement_view(movement, can(docket.payment_of(movement).account))
    if told.asked:
        answer = cast(LookUp, told.answer)
        judged = judge_look_up(view, answer, of=told.of, now=docket.now, timing=TIMING)
    else:
        judged = judge_reply(view, cast(Reply, told.answer), of=told.of, now=docket.now, timing=TIMING)
    put_judged(docket, movement, judged)


def take_webhook(docket: Docket, webhook: InboundWebhook, can: Abilities) -> bool:
    """Take a stored webhook into the docket; False while it has to wait for the answer to our own call.

    What is not about the state of a refund is a case for a person.
    """
    refund = docket.refunds[cast(int, webhook.refund_id)]
    if webhook.kind == "parcel.updated":
        take_parcel_webhook(docket, refund, parcel_fact(webhook))
        return True
    if webhook.kind != "refund.updated":
        docket.record(refund, webhook.kind, {"event": webhook.event_id}, SYSTEM)
        docket.open_incident(refund, webhook.kind.replace(".", "_"), {"event": webhook.event_id})
        return True
    fact = webhook_fact(webhook)
    movement = next(m for m in docket.movements[refund.id] if m.number == fact.number)
    view = movement_view(movement, can(docket.payment_of(movement).account))
    if waits_for_reply(view, docket.now):
        return False
    put_judged(docket, movement, judge_webhook(view, fact, now=docket.now, timing=TIMING))
    return True


def put_judged(docket: Docket, movement: GatewayRefund, judged: Judged) -> None:
    """Bring the row to what was judged."""
    after, held_before = judged.movement, movement.gateway_refund_id
    put_call(movement, after.call)
    for name in ("gateway_refund_id", "failure_code", "key_no", "server_error"):
        setattr(movement, name, getattr(after, name))
    docket.changes.movements[movement.id] = movement
    docket.move(movement, after.state)
    live = {f.gateway_refund_id: f for f in judged.surplus if f.status in _LIVE}
    ended = {f.gateway_refund_id for f in judged.surplus} - live.keys()
    if held_before and held_before != movement.gateway_refund_id:
        ended.add(cast(str, movement.gateway_refund_id))
    if live or ended:
        _book_surplus(docket, movement, live, ended)


def _book_surplus(docket: Docket, movement: GatewayRefund, live: Mapping[str, GatewayFact], ended: Set[str]) -> None:
    """Refunds under our number which are not ours: facts, each booked once, and taken back when they have ended."""
    share, refund = docket.shares[movement.share_id], docket.refunds[movement.refund_id]
    booked = _booked(docket, share, live.keys() | ended)
    for reference, fact in live.items():
        if ("refund", reference) not in booked:
            docket.book(docket.entry(share, "refund", fact.amount_minor, movement_id=None, reference=reference))
            facts = {"number": movement.number, "gateway_refund_id": reference, "amount_minor": fact.amount_minor}
            docket.record(refund, "gateway_refund.surplus", facts, SYSTEM)
            docket.open_incident(refund, "second_refund_at_gateway", facts)
    for reference in ended:
        amount_minor = booked.get(("refund", reference))
        if amount_minor and ("reversal", reference) not in booked:
            docket.book(docket.entry(share, "reversal", amount_minor, movement_id=None, reference=reference))
            facts = {"number": movement.number, "gateway_refund_id": reference, "amount_minor": amount_minor}
            docket.record(refund, "gateway_refund.surplus_ended", facts, SYSTEM)


def _booked(docket: Docket, share: PaymentShare, references: Set[str]) -> dict[tuple[str, str], int]:
    """The amounts booked of what was not ours, by (kind, reference), stored or in the docket."""
    stored = LedgerEntry.objects.filter(share=share, gateway_refund=None, reference__in=references)
    fresh = [e for e in docket.changes.entries if e.share_id == share.id and e.gateway_refund_id is None]
    return {(e.kind, e.reference): e.amount_minor for e in (*stored, *fresh)}
