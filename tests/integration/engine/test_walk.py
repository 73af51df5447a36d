"""Every state x action x role x channel, generated from the tables and walked through the real services: done with its
stated effect, or refused with its code and without a trace.

Rows come into a state by the arrows of the table. Each case starts from the same rows: what it did is rolled back.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import product

import pytest
from django.db import connection, transaction

from orders import clock
from orders.errors import Problem
from orders.models import Channel, Principal
from orders.roles import Actor, Role
from refunds.actions import AGENTS, RULE_OF, WAITING, Action
from refunds.models import GatewayRefund, Refund, RefundEvent
from refunds.needs import (
    AT_HAND,
    BY_ANOTHER,
    CODE_SENT,
    CONTESTABLE,
    DELIVERED,
    FETCHED,
    FOUND_WRONG,
    HERE,
    LACKS_SECOND,
    MISSING,
    NOT_RECEIVED,
    ON_HOLD,
    ON_ITS_WAY_OUT,
    PAYABLE_OUTSIDE,
    PROOF_AWAITED,
    REPLACEABLE,
    SOMEBODY_LOOKS,
    STILL_LOOKED_AT,
    UNCLAIMED,
    UNCONFIRMED,
    UNINVOLVED,
)
from refunds.selectors.allowed import allowed_actions
from refunds.services.acts import Target
from refunds.services.docket import Docket
from refunds.states import GOODS_MAY_ARRIVE, REFUND_ARROWS, MovementState, RefundState
from tests.consistency import disagreements
from tests.factories import SHOP, request, ship
from tests.fingerprint import fingerprint
from tests.integration.engine.crediting import ACCOUNTS
from tests.integration.engine.returns import bought, in_force
from tests.integration.engine.walked import ACTS, EFFECTS, Act
from tests.sizes import SOAK

pytestmark = pytest.mark.django_db

#: What the engine is not asked anything by.
DECIDES_NOTHING = {Action.ASSIGN}
#: Where the money of the two payments stands by then, if it has moved at all.
MONEY = {
    RefundState.REFUNDED: (MovementState.SUCCEEDED, MovementState.SUCCEEDED),
    RefundState.PARTIALLY_REFUNDED: (MovementState.SUCCEEDED, MovementState.CANCELLED),
    RefundState.FAILED: (MovementState.FAILED, MovementState.FAILED),
}


@dataclass(frozen=True)
class Situation:
    """A refund of three delivered things by two payments. `claimed`: its money is on its way; `unanswered`: nobody
    knows whether it is; `taken_back`: it was reversed. `unconfirmed`: the things are at home, and nobody has said yet
    that they stay; `contestable`: he may say that he does not agree;
    `unproved`: somebody is to prove that they were delivered; `outward`: no carrier has said that they were."""

    state: RefundState
    held: bool = False
    claimed: bool = False
    unanswered: bool = False
    taken_back: bool = False
    unconfirmed: bool = False
    contestable: bool = False
    unproved: bool = False
    outward: bool = False

    def __str__(self) -> str:
        names = ("held", "claimed", "unanswered", "taken_back", "unconfirmed", "contestable", "unproved", "outward")
        flags = [name for name in names if getattr(self, name)]
        return " ".join([self.state, *flags])

    @property
    def is_paid_at_once(self) -> bool:
        """It has not left, and nobody has to look."""
        return self.state is RefundState.REQUESTED and self.unconfirmed

    def build(self) -> Refund:
        order = bought(1000, quantity=3, captured=(1000, 2000))
        if self.unconfirmed:
            in_force(stop_shipment="confirm")
        else:
            ship(order, "shipped" if self.outward else "delivered")
        Principal.objects.create(name="colleague", role=Role.SUPPORT).channels.add(order.channel)
        [refund] = request(order).refunds
        docket = Docket([order.pk], now=clock.now())
        docket.open_cases([refund.pk])
        refund = docket.refunds[refund.pk]
        if self.state is RefundState.OFFERED:
            refund.offered_minor, refund.offered_by, refund.offer_note = 300, "principal:9", "A scratch."
        for verb in way_to(self.state):
            docket.follow(refund, verb)
        for movement, state in zip(docket.movements[refund.pk], self._money(), strict=False):
            docket.move(movement, state)
        if self.unanswered:
            _leave_unanswered(docket, docket.movements[refund.pk][0])
        self._mark(docket, refund)
        docket.write()
        return refund

    def _mark(self, docket: Docket, refund: Refund) -> None:
        tomorrow = docket.now + timedelta(days=1)
        if self.contestable:
            refund.contest_until = tomorrow
        if self.unproved:
            refund.proof, refund.proof_until = "awaited", tomorrow
        if self.held:
            refund.held_from, refund.held_until = docket.now, tomorrow
        if self.contestable or self.unproved or self.held:
            docket.decide_anew(refund)

    @property
    def is_missing_money(self) -> bool:
        return self.state is RefundState.FAILED or self.unanswered

    def _money(self) -> tuple[MovementState, ...]:
        if self.taken_back:
            return (MovementState.REVERSED, MovementState.REVERSED)
        return MONEY.get(self.state, (MovementState.PENDING,) if self.claimed else ())


def _leave_unanswered(docket: Docket, movement: GatewayRefund) -> None:
    movement.call, movement.attempt, movement.sent_at, movement.first_sent_at = "unknown", 1, docket.now, docket.now
    docket.changes.movements[movement.pk] = movement


def way_to(state: RefundState) -> tuple[str, ...]:
    """The verbs of a shortest way from the beginning."""
    ways: dict[str, tuple[str, ...]] = {RefundState.REQUESTED: ()}
    while state not in ways:
        for verb, source, target in [(a.verb, source, a.target) for a in REFUND_ARROWS for source in a.sources]:
            if source in ways:
                ways.setdefault(target, (*ways[source], verb))
    return ways[state]


SITUATIONS = [
    *(Situation(state) for state in RefundState),
    *(Situation(state, held=True) for state in sorted(WAITING)),
    Situation(RefundState.REFUNDING, claimed=True),
    Situation(RefundState.REFUNDING, unanswered=True),
    Situation(RefundState.FAILED, taken_back=True),
    Situation(RefundState.REJECTED, contestable=True),
    Situation(RefundState.IN_REVIEW, unproved=True),
    Situation(RefundState.IN_REVIEW, outward=True),
    Situation(RefundState.AWAITING_RETURN, outward=True),
    Situation(RefundState.REQUESTED, unconfirmed=True),
    Situation(RefundState.REQUESTED, held=True, unconfirmed=True),
]
REQUESTER, OTHER = SHOP.reference, "principal:7"
CALLERS = [
    *((Actor(REQUESTER, role), "own") for role in sorted(AGENTS)),
    *((Actor(OTHER, role), where) for where, role in product(("own", "foreign", "unknown"), Role)),
]


def expected(action: Action, here: Situation, actor: Actor, where: str) -> str:
    rule = RULE_OF[action]
    refusals = [
        ("403 role_forbidden", actor.role not in rule.roles),
        ("404 refund_not_found", where != "own"),
        (f"409 {rule.code}", here.state not in rule.states),
        ("409 goods_received", NOT_RECEIVED in rule.needs and here.state is RefundState.INSPECTING),
        ("409 money_claimed", UNCLAIMED in rule.needs and (here.claimed or here.unanswered)),
        ("409 nothing_to_replace", REPLACEABLE in rule.needs and here.unconfirmed),
        ("409 nothing_to_retry", {MISSING, PAYABLE_OUTSIDE} & {*rule.needs} and not here.is_missing_money),
        ("403 decided_before", UNINVOLVED in rule.needs and actor.reference == REQUESTER),
        ("409 goods_not_received", HERE in rule.needs and here.state is not RefundState.INSPECTING),
        ("409 no_parcel_yet", AT_HAND in rule.needs and here.state is not RefundState.INSPECTING),
        ("409 stop_not_awaited", UNCONFIRMED in rule.needs and not here.unconfirmed),
        ("409 refunded_at_once", SOMEBODY_LOOKS in rule.needs and here.is_paid_at_once),
        (
            "409 not_contestable",
            STILL_LOOKED_AT in rule.needs and here.state is RefundState.REJECTED and not here.contestable,
        ),
        ("409 nothing_refused", FOUND_WRONG in rule.needs),
        ("409 no_second_needed", LACKS_SECOND in rule.needs),
        ("409 not_delivered", DELIVERED in rule.needs and here.outward),
        ("409 not_fetched", FETCHED in rule.needs and here.outward),
        ("409 not_on_its_way", ON_ITS_WAY_OUT in rule.needs and not here.outward),
        ("409 no_proof_awaited", PROOF_AWAITED in rule.needs and not here.unproved),
        ("409 not_contestable", CONTESTABLE in rule.needs and not here.contestable),
        ("409 no_code_sent", CODE_SENT in rule.needs),
        ("409 not_on_hold", ON_HOLD in rule.needs and not here.held),
        ("403 own_request", BY_ANOTHER in rule.needs and actor.reference == REQUESTER),
    ]
    return next((code for code, applies in refusals if applies), "done")


def targets_of(refund: Refund) -> dict[str, Target]:
    foreign = Channel.objects.create(slug="foreign", name="Foreign")
    return {
        "own": Target(refund.number, [refund.order.channel_id]),
        "foreign": Target(refund.number, [foreign.pk]),
        "unknown": Target("RF-0", [refund.order.channel_id]),
    }


def outcome(act: Act, on: Target, actor: Actor) -> str:
    try:
        act(on, actor)
    except Problem as problem:
        return f"{problem.status} {problem.code}"
    return "done"


def effect_of(refund: Refund, action: Action, actor: Actor) -> tuple[str, list[str]]:
    """The event it writes, and the state that follows where it is another one."""
    event, *state = EFFECTS[action].split()
    if action is Action.RETRY and refund.state == RefundState.REFUNDING:
        event = "gateway_refund.not_done"
    if action is Action.RECEIVE and refund.state != RefundState.AWAITING_RETURN:
        state = ["in_review"] if refund.state in (RefundState.IN_REVIEW, *GOODS_MAY_ARRIVE) else []
    if action is Action.SET_TARGET and actor.role is Role.CUSTOMER:
        event = "target.asked"
    elif action is Action.SET_TARGET and refund.state == RefundState.FAILED:
        state = ["refunding"]
    return event, state


def wrongs(refund: Refund, action: Action, actor: Actor) -> Iterator[str]:
    """What an act that was done should have left, and has not."""
    event, state = effect_of(refund, action, actor)
    after = Refund.objects.get(pk=refund.pk)
    if after.state != (state[0] if state else refund.state):
        yield f"it is {after.state}"
    written = RefundEvent.objects.filter(refund=refund, seq__gt=refund.event_seq, kind=event)
    if (actor.reference, actor.role) not in written.values_list("actor", "role"):
        yield f"no {event} by {actor}"
    if after.resource_version <= refund.resource_version:
        yield "nobody can see that it changed"
    if (after.generation > refund.generation) is (action in DECIDES_NOTHING):
        yield "the engine looks at it though nothing was decided, or does not though something was"
    yield from disagreements(connection.connection)


def in_turn(doers: list[Actor], turn: int) -> list[Actor]:
    """Each day one of those who can do it; each of them in the soak."""
    return doers if SOAK or not doers else [doers[turn % len(doers)]]


@pytest.mark.sized
@pytest.mark.parametrize("here", SITUATIONS, ids=str)
def test_an_act_is_done_with_its_effect_or_refused_without_a_trace(here: Situation, settings) -> None:
    settings.GATEWAY_ACCOUNTS = ACCOUNTS
    refund = here.build()
    assert (refund.state, disagreements(connection.connection)) == (here.state, [])
    targets = targets_of(refund)
    before = fingerprint()
    for turn, (action, act) in enumerate(ACTS.items(), SITUATIONS.index(here)):
        wanted = {caller: expected(action, here, *caller) for caller in CALLERS}
        refused = {who: code for who, code in wanted.items() if code != "done"}
        assert {(actor, where): outcome(act, targets[where], actor) for actor, where in refused} == refused, action
        assert fingerprint() == before, f"a refused {action} has left a trace"
        for actor in in_turn([actor for actor, where in wanted if (actor, where) not in refused], turn):
            sid = transaction.savepoint()
            assert outcome(act, targets["own"], actor) == "done", (action, actor)
            assert list(wrongs(refund, action, actor)) == [], (action, actor)
            transaction.savepoint_rollback(sid)
    for actor in [actor for actor, where in CALLERS if where == "own"]:
        done = [action for action in ACTS if expected(action, here, actor, "own") == "done"]
        assert sorted(allowed_actions(refund, actor)) == sorted(done), f"what is offered to {actor} is what he can do"


def test_every_action_about_a_refund_is_walked() -> None:
    assert set(ACTS) == set(EFFECTS) == {rule.action for rule in RULE_OF.values() if rule.states}
