"""One pass over a batch of refunds: T1 decides and claims under the lock, T2 records what came of the calls.

T1 (`begin`)   lock the orders, skip what others hold; apply stored webhooks; decide; claim; write; commit.
               Then the claimed calls are made, with no row locked.
T2 (`record`)  lock, take the answers and the webhooks that waited for them, decide again, write, commit. It never
               claims.

Both read fresh rows in a constant number of statements and write through the docket.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from orders import clock
from orders.locks import lock_orders
from orders.roles import SYSTEM
from refunds import calls, conditions, records
from refunds.decide import Seen, decide, next_look, observe
from refunds.judging import Attempt
from refunds.models import GatewayRefund, InboundWebhook, Refund
from refunds.selectors.facts import orders_of
from refunds.services.answers import Abilities, Told, judge, take_webhook
from refunds.services.docket import Docket
from refunds.services.rows import TIMING, call_of, movement_view, policy_of, put_call
from refunds.services.wakes import wake_notifications
from refunds.states import RefundState, Route
from workers.ports import Movement


@dataclass(frozen=True, slots=True)
class Outbound:
    """A claimed call: what to send to the account's gateway, or (`asks`) only to look up there."""

    refund_id: int
    account: str
    movement: Movement
    of: Attempt
    asks: bool


@dataclass(slots=True)
class Pass:
    """Where each refund stands after a pass: calls to make, seconds to wait for room, or when it is due again."""

    calls: list[Outbound] = field(default_factory=list)
    waiting: dict[int, float] = field(default_factory=dict)
    due_in: dict[int, float | None] = field(default_factory=dict)
    skipped: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Claims:
    """How T1 claims: `take` asks for a slot at an account, `wait` says in how many seconds to try for one again."""

    take: Callable[[str], bool]
    wait: Callable[[str], float]


def begin(refund_ids: Collection[int], claims: Claims, *, can: Abilities, wait_ms: int | None = None) -> Pass:
    """T1. Refunds of orders that stay locked by others are `skipped`; unknown ones are done with."""
    result = Pass()
    with transaction.atomic():
        docket, cases = _open(refund_ids, result, wait_ms=wait_ms)
        _apply_webhooks(docket, cases, can)
        for refund in cases:
            _Case(docket, refund, can, result).advance(claims)
        wake_notifications(docket.write())
    return result


def record(told: Sequence[Told], *, can: Abilities, wait_ms: int | None = None) -> Pass:
    """T2. The answers of refunds whose orders stay locked are not recorded; those refunds are `skipped`."""
    result = Pass()
    with transaction.atomic():
        docket, cases = _open({t.refund_id for t in told}, result, wait_ms=wait_ms)
        open_ids = {refund.id for refund in cases}
        for answer in told:
            if answer.refund_id in open_ids:
                judge(docket, answer, can)
        _apply_webhooks(docket, cases, can)
        for refund in cases:
            _Case(docket, refund, can, result).advance(None)
        wake_notifications(docket.write())
    return result


def _open(refund_ids: Collection[int], result: Pass, *, wait_ms: int | None) -> tuple[Docket, list[Refund]]:
    """Lock and load; refunds in ascending id, so that two of one order are decided in sequence on the same rows."""
    orders = orders_of(refund_ids)
    locked = lock_orders(orders.values(), wait_ms=wait_ms, skip_locked=wait_ms is None)
    result.skipped += [i for i, order_id in orders.items() if order_id not in locked]
    result.due_in.update({i: None for i in refund_ids if i not in orders})
    here = sorted(i for i, order_id in orders.items() if order_id in locked)
    docket = Docket(locked, now=clock.now())
    docket.open_cases(here)
    return docket, [docket.refunds[i] for i in here]


def _apply_webhooks(docket: Docket, cases: Sequence[Refund], can: Abilities) -> None:
    ids = [refund.id for refund in cases]
    for webhook in records.load(InboundWebhook, "refund_id", ids, where="applied_at IS NULL"):
        if take_webhook(docket, webhook, can):
            webhook.applied_at = docket.now
            docket.changes.webhooks[webhook.id] = webhook


class _Case:
    """One refund in a pass."""

    def __init__(self, docket: Docket, refund: Refund, can: Abilities, result: Pass) -> None:
        self.docket = docket
        self.refund = refund
        self.can = can
        self.result = result
        self.policy = policy_of(refund.policy_version_id)
        self.movements = {m.number: m for m in docket.movements[refund.id]}

    def advance(self, claims: Claims | None) -> None:
        """Decide, and do what the plan says; without `claims` what it would send or ask is due at once."""
        plan = decide(self.see(), self.policy, now=self.docket.now)
        for verb in plan.verbs:
            self.docket.follow(self.refund, verb)
        for kind in plan.incidents:
            self.docket.open_incident(self.refund, kind, {"number": self.refund.number})
        for template in plan.messages:
            self.tell(template)
        self.refund.deadline = plan.deadline
        if claims:
            self.claim(plan.sends, claims, asks=False)
            self.claim(plan.asks, claims, asks=True)
        self.settle(wants_calls=claims is None and bool(plan.sends or plan.asks))

    def see(self) -> Seen:
        refund, order = self.refund, self.docket.orders[self.refund.order_id]
        return Seen(
            state=RefundState(refund.state),
            route=Route(refund.route),
            amount_minor=refund.amount_minor,
            currency=refund.currency,
            created_at=refund.created_at,
            movements=tuple(movement_view(m, self.can(self.account(m))) for m in self.movements.values()),
            acknowledged=refund.acknowledged_at is not None,
            reachable=bool(order.customer_email or order.customer_phone),
            deadline=refund.deadline,
            incidents=frozenset(self.docket.incidents[refund.id]),
        )

    def account(self, movement: GatewayRefund) -> str:
        return self.docket.payment_of(movement).account

    def tell(self, template: str) -> None:
        if template == "received":
            self.docket.record(self.refund, "refund.acknowledged", {}, SYSTEM)
        self.docket.tell(self.refund, template, self.policy)

    def claim(self, numbers: Sequence[str], claims: Claims, *, asks: bool) -> None:
        """Claim what there is room for; the rest waits for its turn."""
        for number in numbers:
            movement = self.movements[number]
            account = self.account(movement)
            if claims.take(account):
                self.result.calls.append(self._claim(movement, account, asks=asks))
            else:
                self.result.waiting[self.refund.id] = claims.wait(account)

    def settle(self, *, wants_calls: bool) -> None:
        """Conditions and the next look, from the rows as they are now."""
        refund, docket, seen = self.refund, self.docket, self.see()
        merged = conditions.merge(
            refund.conditions, observe(seen, now=docket.now), generation=refund.generation, now=docket.now
        )
        if merged != refund.conditions:
            refund.conditions = merged
            docket.touch(refund)
        if refund.observed_generation != refund.generation or refund.failures:
            refund.observed_generation, refund.failures = refund.generation, 0
            docket.touch(refund)
        at = next_look(seen, self.policy, now=docket.now, timing=TIMING)
        docket.set_clock(refund, at)
        self.result.due_in[refund.id] = 0.0 if wants_calls else _seconds_until(at, docket.now)

    def _claim(self, movement: GatewayRefund, account: str, *, asks: bool) -> Outbound:
        now, before = self.docket.now, call_of(movement)
        if asks:
            put_call(movement, calls.asked(before, now=now, timing=TIMING))
        else:
            put_call(movement, calls.claim(before, movement.kind, now=now, timing=TIMING))
            movement.first_sent_at = movement.first_sent_at or now
            self.docket.touch(self.refund)
        self.docket.changes.movements[movement.id] = movement
        return Outbound(
            refund_id=self.refund.id,
            account=account,
            movement=self._asked_for(movement),
            of=Attempt(attempt=movement.attempt, before=before, asked_at=now),
            asks=asks,
        )

    def _asked_for(self, movement: GatewayRefund) -> Movement:
        return Movement(
            number=movement.number,
            idempotency_key=movement.idempotency_key,
            payment_reference=self.docket.payment_of(movement).reference,
            amount_minor=movement.amount_minor,
            currency=movement.currency,
        )


def _seconds_until(at: datetime | None, now: datetime) -> float | None:
    return None if at is None else max(0.0, (at - now).total_seconds())
