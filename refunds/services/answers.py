"""Writing down what a gateway said: the judged movement, its ledger entries and events, and what was not ours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from orders.roles import SYSTEM
from refunds.calls import CallPhase
from refunds.judging import Attempt, Judged, judge_look_up, judge_reply, judge_webhook, waits_for_reply
from refunds.models import GatewayRefund, InboundWebhook
from refunds.movements import NOT_THERE, UNANSWERED, MovementView
from refunds.selectors.facts import parcel_fact, webhook_fact
from refunds.services.authorisations import follow_statement
from refunds.services.docket import Docket
from refunds.services.ledger import is_ending
from refunds.services.parcel_facts import take_parcel_webhook
from refunds.services.rows import TIMING, movement_view, put_call
from refunds.services.surplus import settle_surplus
from refunds.states import MovementKind, MovementState
from workers.ports import Accepted, Capabilities, Found, GatewayFact, LookUp, Reply

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
    view = movement_view(movement, can(docket.account_of(movement)))
    if told.asked:
        answer = cast(LookUp, told.answer)
        judged = judge_look_up(view, answer, of=told.of, now=docket.now, timing=TIMING)
    else:
        judged = judge_reply(view, cast(Reply, told.answer), of=told.of, now=docket.now, timing=TIMING)
    put_judged(docket, movement, judged)
    _say_whether_it_left(docket, movement, told, view)
    keep_receipts(docket, movement, _facts(told.answer))


def _say_whether_it_left(docket: Docket, movement: GatewayRefund, told: Told, before: MovementView) -> None:
    """That no answer came to what was sent, and that it was not there when asked: the books tell by it what is out."""
    is_new = before.call.call is CallPhase.SENT and told.of.before.call is not CallPhase.UNKNOWN
    if not told.asked and is_new and movement.call == CallPhase.UNKNOWN:
        say_unanswered(docket, movement)
    is_back = movement.call == CallPhase.IDLE and before.call.call is not CallPhase.IDLE
    if told.asked and is_back and movement.state == MovementState.INTENDED:
        _say(docket, movement, NOT_THERE)


def say_unanswered(docket: Docket, movement: GatewayRefund) -> None:
    _say(docket, movement, UNANSWERED)


def _say(docket: Docket, movement: GatewayRefund, kind: str) -> None:
    facts = {"number": movement.number, "amount_minor": movement.amount_minor, "attempt": movement.attempt}
    docket.record(docket.refunds[movement.refund_id], kind, facts, SYSTEM)


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
    view = movement_view(movement, can(docket.account_of(movement)))
    if waits_for_reply(view, docket.now):
        return False
    put_judged(docket, movement, judge_webhook(view, fact, now=docket.now, timing=TIMING))
    keep_receipts(docket, movement, [fact])
    return True


def put_judged(docket: Docket, movement: GatewayRefund, judged: Judged) -> None:
    """Bring the row to what was judged."""
    after, held_before = judged.movement, movement.gateway_refund_id
    was_ending = is_ending(movement)
    put_call(movement, after.call)
    for name in ("gateway_refund_id", "failure_code", "key_no", "server_error"):
        setattr(movement, name, getattr(after, name))
    if held_before != after.gateway_refund_id:
        movement.receipt = {}
    docket.changes.movements[movement.id] = movement
    if after.failed_ids != frozenset(movement.failed_ids):
        movement.failed_ids = sorted(after.failed_ids)
        docket.changes.failures[movement.id] = movement
    if after.kind != movement.kind:
        _say_still_held(docket, movement)
        docket.turn_into(movement, after.kind)
    docket.move(movement, after.state)
    if movement.kind != MovementKind.VOID and (judged.surplus or held_before not in (None, after.gateway_refund_id)):
        settle_surplus(docket, movement, judged.surplus)
    if was_ending and not is_ending(movement) and movement.state != MovementState.SUCCEEDED:
        follow_statement(docket, movement)


def _say_still_held(docket: Docket, movement: GatewayRefund) -> None:
    facts = {"number": movement.number, "amount_minor": movement.amount_minor, "reason": movement.last_error}
    docket.record(docket.refunds[movement.refund_id], "gateway_refund.still_held", facts, SYSTEM)


def keep_receipts(docket: Docket, movement: GatewayRefund, facts: Sequence[GatewayFact]) -> None:
    """What is told for the books of the refund that the movement holds; what is told later of the same counts."""
    for fact in facts:
        kept = {**movement.receipt, **fact.receipt.to_json()}
        if fact.gateway_refund_id == movement.gateway_refund_id and kept != movement.receipt:
            movement.receipt = kept
            docket.changes.movements[movement.id] = movement
            docket.touch(docket.refunds[movement.refund_id])


def _facts(answer: Reply | LookUp) -> tuple[GatewayFact, ...]:
    if isinstance(answer, Accepted):
        return (answer.fact,)
    return answer.facts if isinstance(answer, Found) else ()
