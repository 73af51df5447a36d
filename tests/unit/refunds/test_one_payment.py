"""Whatever goes wrong between us and an honest gateway, a movement moves its money once.

Hypothesis plays calls that are late, lost, repeated and answered out of order, crashes, webhooks in copies and in
reverse, and people who retry; the engine's side is nothing but `decide` and `judging`. In the end we hold what the
gateway holds.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from refunds import calls
from refunds.calls import CallPhase, CallState
from refunds.decide import Plan, decide, next_look
from refunds.judging import Attempt, Judged, judge_look_up, judge_reply, judge_webhook, waits_for_reply
from refunds.movements import MovementView, ledger_kinds
from refunds.policy import PolicySpec
from refunds.seen import Seen
from refunds.states import REFUND_ARROWS, MovementState, RefundState, Route
from tests.sizes import examples
from tests.unit.refunds.honest_gateway import LIVE, HonestGateway
from tests.unit.refunds.shorthand import (
    CAN_BE_ASKED,
    FAILED_KEY_IS_FINAL,
    FIRST_SENT,
    NEITHER,
    ONLY_KEYS,
    TIMING,
    replace,
)
from tests.unit.refunds.test_movements import EFFECTS
from workers.ports import Capabilities, GatewayStatus, NotSent, Reply, Unknown

pytestmark = pytest.mark.sized
POLICY = PolicySpec()
TARGETS = {(source, arrow.verb): arrow.target for arrow in REFUND_ARROWS for source in arrow.sources}
LUCK = st.sampled_from(["succeeded", "pending", "failed", "declined", "500", "500 after success", "try later"])


@dataclass(eq=False)
class Flight:
    """A call on its way. It may reach the gateway until `dead_at`, whether or not anybody still waits for it."""

    of: Attempt
    key: str
    asks: bool
    dead_at: datetime
    reply: Reply | None = None
    is_over: bool = False


class OnePayment(RuleBasedStateMachine):
    can: Capabilities

    @initialize()
    def begin(self) -> None:
        self.now = FIRST_SENT
        self.gateway = HonestGateway(self.can)
        self.flights: list[Flight] = []
        self.money = {"reserved": 1, "refunded": 0}
        movement = MovementView("RF-1-1", MovementState.INTENDED, 1000, "EUR", CallState(), self.can)
        self.seen = Seen(RefundState.REQUESTED, Route.INSTANT, 1000, "EUR", self.now, (movement,))

    @property
    def movement(self) -> MovementView:
        return self.seen.movements[0]

    @rule(seconds=st.sampled_from([1, 5, 10, 16, 60, 700, 3000, 90_000]))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule()
    def look(self) -> None:
        """T1: arrows and claims."""
        plan = self._follow_arrows()
        if plan.sends or plan.asks:
            self._claim(asks=bool(plan.asks))

    @precondition(lambda self: self._on_the_way(asks=False))
    @rule(data=st.data(), luck=LUCK)
    def a_request_arrives(self, data: st.DataObject, luck: str) -> None:
        flight = data.draw(st.sampled_from(self._on_the_way(asks=False)))
        flight.reply = self.gateway.handle(flight.key, luck, self.now)

    @precondition(lambda self: self._answerable())
    @rule(data=st.data())
    def an_answer_arrives(self, data: st.DataObject) -> None:
        """Soon, or after everybody has given it up."""
        flight = data.draw(st.sampled_from(self._answerable()))
        flight.is_over = True
        assert flight.reply is not None
        self._take(judge_reply(self.movement, flight.reply, of=flight.of, now=self.now, timing=TIMING))

    @precondition(lambda self: self._on_the_way(asks=False))
    @rule(data=st.data())
    def a_request_never_leaves(self, data: st.DataObject) -> None:
        flight = data.draw(st.sampled_from(self._on_the_way(asks=False)))
        flight.is_over, flight.dead_at = True, self.now - timedelta(seconds=1)
        self._take(judge_reply(self.movement, NotSent("refused"), of=flight.of, now=self.now, timing=TIMING))

    @precondition(lambda self: self._waited_for(asks=False))
    @rule(data=st.data())
    def we_give_up_waiting(self, data: st.DataObject) -> None:
        """The request may still arrive."""
        flight = data.draw(st.sampled_from(self._waited_for(asks=False)))
        flight.is_over = True
        self._take(judge_reply(self.movement, Unknown("timed out"), of=flight.of, now=self.now, timing=TIMING))

    @precondition(lambda self: self._waited_for(asks=False) or self._waited_for(asks=True))
    @rule()
    def the_worker_dies(self) -> None:
        for flight in self.flights:
            flight.is_over = True

    @precondition(lambda self: self._waited_for(asks=True))
    @rule(data=st.data(), is_lost=st.booleans())
    def we_are_told(self, data: st.DataObject, is_lost: bool) -> None:
        flight = data.draw(st.sampled_from(self._waited_for(asks=True)))
        flight.is_over = True
        answer = Unknown("timed out") if is_lost else self.gateway.holds()
        self._take(judge_look_up(self.movement, answer, of=flight.of, now=self.now, timing=TIMING))

    @precondition(lambda self: self.gateway.refunds)
    @rule(data=st.data(), back=st.integers(0, 2))
    def a_webhook_arrives(self, data: st.DataObject, back: int) -> None:
        """Any of them, any number of times, in any order."""
        fact = data.draw(st.sampled_from(self.gateway.refunds)).fact(back)
        if not waits_for_reply(self.movement, self.now):
            self._take(judge_webhook(self.movement, fact, now=self.now, timing=TIMING))

    @precondition(lambda self: any(r.history[-1] in LIVE for r in self.gateway.refunds))
    @rule(data=st.data(), well=st.booleans())
    def the_gateway_moves_on(self, data: st.DataObject, well: bool) -> None:
        refunded = data.draw(st.sampled_from(self.gateway.live()))
        if refunded.history[-1] is GatewayStatus.PENDING:
            refunded.history.append(GatewayStatus.SUCCEEDED if well else GatewayStatus.FAILED)
        elif not well:
            refunded.history.append(GatewayStatus.REVERSED)

    @precondition(lambda self: self.seen.state is RefundState.FAILED and self.movement.state is MovementState.FAILED)
    @rule()
    def a_person_retries(self) -> None:
        if self.movement.call.call is CallPhase.IDLE:
            self._put(replace(self.movement, state=MovementState.INTENDED))
            self.seen = replace(self.seen, state=RefundState.REFUNDING)

    @invariant()
    def the_money_moves_once(self) -> None:
        if hasattr(self, "gateway"):
            ever_live = [
                r for r in self.gateway.refunds if GatewayStatus.SUCCEEDED in r.history or r in self.gateway.live()
            ]
            unsure = [r for r in ever_live if GatewayStatus.FAILED not in r.history]
            assert len(unsure) <= 1, [r.history for r in ever_live]

    @invariant()
    def nothing_is_sent_or_given_up_while_a_request_may_still_arrive(self) -> None:
        if hasattr(self, "flights"):
            may_arrive = self._on_the_way(asks=False)
            assert len(may_arrive) <= 1
            assert not (may_arrive and self.movement.state is MovementState.FAILED)

    @invariant()
    def the_ledger_says_where_the_movement_stands(self) -> None:
        if hasattr(self, "money"):
            state = self.movement.state
            assert self.money["refunded"] == (state is MovementState.SUCCEEDED)
            assert self.money["reserved"] == (
                state in (MovementState.INTENDED, MovementState.PENDING, MovementState.REVERSED)
            )

    def teardown(self) -> None:
        if hasattr(self, "gateway"):
            self.the_worker_dies()
            self.time_passes(90_000)
            for refunded in self.gateway.live():
                if refunded.history[-1] is GatewayStatus.PENDING:
                    refunded.history.append(GatewayStatus.SUCCEEDED)
            self._hear_of_everything()
            self._come_to_rest()
            self._check_that_both_sides_agree()

    def _hear_of_everything(self) -> None:
        for refunded in self.gateway.refunds:
            self._take(judge_webhook(self.movement, refunded.fact(), now=self.now, timing=TIMING))

    def _come_to_rest(self) -> None:
        """The world is kind from here on: everything is answered at once."""
        for _ in range(50):
            self.look()
            for flight in self._on_the_way(asks=False):
                flight.is_over, flight.reply = True, self.gateway.handle(flight.key, "succeeded", self.now)
                self._take(judge_reply(self.movement, flight.reply, of=flight.of, now=self.now, timing=TIMING))
            for flight in self._waited_for(asks=True):
                flight.is_over = True
                self._take(
                    judge_look_up(self.movement, self.gateway.holds(), of=flight.of, now=self.now, timing=TIMING)
                )
            look = next_look(self.seen, POLICY, now=self.now, timing=TIMING)
            if look is None:
                return
            self.now = max(self.now, look)

    def _check_that_both_sides_agree(self) -> None:
        statuses = {refunded.history[-1] for refunded in self.gateway.refunds}
        if GatewayStatus.SUCCEEDED in statuses:
            assert (self.movement.state, self.seen.state) == (MovementState.SUCCEEDED, RefundState.REFUNDED)
        elif GatewayStatus.REVERSED in statuses:
            assert (self.movement.state, self.seen.state) == (MovementState.REVERSED, RefundState.FAILED)
        elif self.can.look_up:
            assert (self.movement.state, self.seen.state) == (MovementState.FAILED, RefundState.FAILED)
        else:
            assert self.movement.state in (MovementState.FAILED, MovementState.INTENDED)

    def _claim(self, *, asks: bool) -> None:
        before = self.movement.call
        call = (
            calls.asked(before, now=self.now, timing=TIMING)
            if asks
            else calls.claim(before, "refund", now=self.now, timing=TIMING)
        )
        self._put(replace(self.movement, call=call))
        of = Attempt(attempt=call.attempt, before=before, asked_at=self.now)
        key = f"RF-1-1.{self.movement.key_no}"
        lasts = timedelta(seconds=TIMING.call_seconds + self.can.settle_seconds)
        self.flights.append(Flight(of, key, asks, dead_at=self.now + lasts))

    def _take(self, judged: Judged) -> None:
        """T2."""
        surplus = [fact for fact in judged.surplus if fact.status in LIVE]
        assert not surplus, "an honest gateway has no surplus, and what failed meanwhile is remembered"
        self._put(judged.movement)
        self._follow_arrows()

    def _follow_arrows(self) -> Plan:
        plan = decide(self.seen, POLICY, now=self.now)
        state = self.seen.state
        for verb in plan.verbs:
            state = RefundState(TARGETS[state, verb])
        self.seen = replace(self.seen, state=state)
        return plan

    def _put(self, movement: MovementView) -> None:
        for kind in ledger_kinds(self.movement.state, movement.state):
            self.money["reserved"] += EFFECTS[kind][0]
            self.money["refunded"] += EFFECTS[kind][1]
        self.seen = replace(self.seen, movements=(movement,))

    def _on_the_way(self, *, asks: bool) -> list[Flight]:
        return [f for f in self.flights if f.asks is asks and f.reply is None and self.now < f.dead_at]

    def _waited_for(self, *, asks: bool) -> list[Flight]:
        return [f for f in self.flights if f.asks is asks and not f.is_over]

    def _answerable(self) -> list[Flight]:
        return [f for f in self.flights if f.reply is not None and not f.is_over]


def _case(can: Capabilities) -> type:
    machine = type("OnePayment", (OnePayment,), {"can": can})
    case = machine.TestCase
    case.settings = settings(max_examples=examples(120), stateful_step_count=35, deadline=None)
    return case


class TestWhereWeCanAsk(_case(CAN_BE_ASKED)):
    pass


class TestWhereAFailedKeyIsFinal(_case(FAILED_KEY_IS_FINAL)):
    pass


class TestWhereThereAreOnlyKeys(_case(ONLY_KEYS)):
    pass


class TestWhereThereIsNeither(_case(NEITHER)):
    pass
