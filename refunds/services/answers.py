"""Writing down what a gateway said: the judged movement, its ledger entries and events, and what was not ours."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from orders.roles import SYSTEM
from refunds.models import GatewayRefund, InboundWebhook, LedgerEntry
from refunds.movements import Attempt, Judged, judge_look_up, judge_reply, judge_webhook
from refunds.selectors.facts import webhook_fact
from refunds.services.docket import Docket
from refunds.services.rows import TIMING, movement_view, put_call
from workers.ports import Capabilities, GatewayFact, LookUp, Reply

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


def take_webhook(docket: Docket, webhook: InboundWebhook, can: Abilities) -> None:
    """Take a stored webhook into the docket. What is not about the state of a refund is a case for a person."""
    refund = docket.refunds[cast(int, webhook.refund_id)]
    if webhook.kind != "refund.updated":
        docket.record(refund, webhook.kind, {"event": webhook.event_id}, SYSTEM)
        docket.open_incident(refund, webhook.kind.replace(".", "_"), {"event": webhook.event_id})
        return
    fact = webhook_fact(webhook)
    movement = next(m for m in docket.movements[refund.id] if m.number == fact.number)
    view = movement_view(movement, can(docket.payment_of(movement).account))
    put_judged(docket, movement, judge_webhook(view, fact, now=docket.now, timing=TIMING))


def put_judged(docket: Docket, movement: GatewayRefund, judged: Judged) -> None:
    """Bring the row to what was judged."""
    after = judged.movement
    put_call(movement, after.call)
    for name in ("gateway_refund_id", "failure_code", "key_no", "server_error"):
        setattr(movement, name, getattr(after, name))
    docket.changes.movements[movement.id] = movement
    docket.move(movement, after.state)
    for fact in judged.surplus:
        _book_surplus(docket, movement, fact)


def _book_surplus(docket: Docket, movement: GatewayRefund, fact: GatewayFact) -> None:
    """A second live refund under our number: a fact, booked once, and a case for a person."""
    share, reference = docket.shares[movement.share_id], fact.gateway_refund_id
    if LedgerEntry.objects.filter(share=share, kind="refund", reference=reference).exists():
        return
    docket.book(docket.entry(share, "refund", fact.amount_minor, movement_id=None, reference=reference))
    refund = docket.refunds[movement.refund_id]
    facts = {"number": movement.number, "gateway_refund_id": reference, "amount_minor": fact.amount_minor}
    docket.record(refund, "gateway_refund.surplus", facts, SYSTEM)
    docket.open_incident(refund, "second_refund_at_gateway", facts)
