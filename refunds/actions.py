"""One table action x role x state, and what else an action needs. Pure; every door reads it, none keeps its own.

An action without states is not about an existing refund (`request`; `adjust`: of lines' prices, or of the shipping;
`request_amount`: of a free amount) or does not depend on its state (`read`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from orders.errors import Conflict, Forbidden, Problem
from orders.roles import Actor, Role
from refunds.states import CANCELLABLE_STATES, GOODS_MAY_ARRIVE, PAID_STATES, RefundState, Route


class Action(StrEnum):
    READ = "read"
    PREVIEW = "preview"
    REQUEST = "request"
    ADJUST = "adjust"
    REQUEST_AMOUNT = "request_amount"
    CANCEL = "cancel"
    APPROVE = "approve"
    SECOND_APPROVE = "second_approve"
    REJECT = "reject"
    OFFER = "offer"
    ACCEPT_OFFER = "accept_offer"
    DECLINE_OFFER = "decline_offer"
    ASK = "ask"
    WRITE = "write"
    EVIDENCE = "evidence"
    CONTEST = "contest"
    REOPEN = "reopen"
    HOLD = "hold"
    RESUME = "resume"
    SHIP_BACK = "ship_back"
    REBOOK_PICKUP = "rebook_pickup"
    RECEIVE = "receive"
    INSPECT = "inspect"
    CONFIRM_STOP = "confirm_stop"
    RETRY = "retry"
    RECORD_EXTERNAL = "record_external"
    CLOSE = "close"
    SET_TARGET = "set_target"
    CONFIRM_TARGET = "confirm_target"
    ASSIGN = "assign"
    SPEND_CREDIT = "spend_credit"


@dataclass(frozen=True, slots=True)
class Position:
    """What of a refund decides what can be done about it.

    `claimed`: a movement of it has left, or may have. `open_outcome`: what became of one is not known yet;
    `unanswered`: nobody has said so far. `missing`: one has failed or was taken back; `doubted`: the gateway is being
    asked whether it was. `under_way`: the goods are
    coming home by the word of the customer or of a carrier; `carried`: by that of a carrier; `sent`: the customer has
    sent them himself, he says; `received`: they are here. `being_stopped`, `turned_back`: a parcel on its way out, or
    one that is back. `inspected`: the warehouse has looked at the goods. `contestable`: something was refused, and the
    customer may still say that he does not agree; `rejected_by`: who refused it before. `approved_by`: who has approved
    it; `lacks_second`: a second person has to. `redirectable`: some of its money
    could still go elsewhere; `redirected_by`: who had it do so; `awaits_code`: a change of that waits for a code.
    `assignee`: whose case it is. `cancel_wanted`: a wish to
    cancel waits for the courier. `unconfirmed`: somebody is to say whether
    the units were kept from leaving.
    """

    state: RefundState
    route: Route = Route.INSTANT
    requested_by: str = ""
    held: bool = False
    claimed: bool = False
    open_outcome: bool = False
    unanswered: bool = False
    missing: bool = False
    doubted: bool = False
    under_way: bool = False
    carried: bool = False
    sent: bool = False
    unconfirmed: bool = False
    received: bool = False
    being_stopped: bool = False
    turned_back: bool = False
    cancel_wanted: bool = False
    inspected: bool = False
    contestable: bool = False
    rejected_by: str = ""
    approved_by: str = ""
    lacks_second: bool = False
    redirectable: bool = False
    redirected_by: str = ""
    awaits_code: bool = False
    assignee: str = ""


#: The money may have gone out before anybody looked at the goods.
_PAID_BEFORE = frozenset({RefundState.REFUNDING, RefundState.FAILED}) | PAID_STATES


@dataclass(frozen=True, slots=True)
class Need:
    """What an action needs besides role and state; `code` and `detail` are of the problem when it is not so."""

    code: str
    detail: str
    is_met: Callable[[Position, Actor], bool]
    problem: type[Problem] = Conflict


UNCLAIMED = Need("money_claimed", "The refund is already being paid out.", lambda at, who: not at.claimed)
ON_HOLD = Need("not_on_hold", "The refund is not on hold.", lambda at, who: at.held)
BY_ANOTHER = Need(
    "own_request",
    "Nobody approves a refund he requested: somebody else has to.",
    lambda at, who: at.requested_by != who.reference,
    Forbidden,
)
FETCHED = Need(
    "not_fetched",
    "These goods are not fetched by a courier.",
    lambda at, who: at.route is Route.PICKUP and not at.sent,
)
DELIVERED = Need(
    "not_delivered",
    "The customer does not have these goods.",
    lambda at, who: at.route is Route.PICKUP or at.sent,
)
NOT_UNDER_WAY = Need("already_collected", "The goods are on their way already.", lambda at, who: not at.under_way)
NOT_CARRIED = Need("already_collected", "A carrier has the goods already.", lambda at, who: not at.carried)
UNCONFIRMED = Need(
    "stop_not_awaited",
    "It was not asked whether the units stay; or that has been said, or they have left.",
    lambda at, who: at.unconfirmed,
)
NOT_RECEIVED = Need(
    "goods_received",
    "The goods are in the warehouse: what is found there decides.",
    lambda at, who: not (at.received or at.state is RefundState.INSPECTING),
)
TO_BE_INSPECTED = Need(
    "goods_received",
    "The goods are in the warehouse: what is found there decides.",
    lambda at, who: at.inspected or not at.received,
)
ANOTHER_JUDGE = Need(
    "decided_before",
    "Whoever refused it does not decide again: somebody else has to.",
    lambda at, who: at.rejected_by != who.reference,
    Forbidden,
)
NOT_ANOTHERS = Need(
    "assigned_to_another",
    "A colleague works on this case: have him give it to you, or take it first.",
    lambda at, who: at.assignee in ("", who.reference),
)
LACKS_SECOND = Need(
    "no_second_needed",
    "Nobody else has to approve it; or somebody has.",
    lambda at, who: at.lacks_second,
)
SECOND_EYES = Need(
    "approved_before",
    "Whoever approved it is not the second person: somebody else has to be.",
    lambda at, who: at.approved_by != who.reference,
    Forbidden,
)
NOT_REDIRECTED = Need(
    "own_target",
    "Whoever said where the money goes is not the second person: somebody else has to be.",
    lambda at, who: at.redirected_by != who.reference,
    Forbidden,
)
REDIRECTABLE = Need(
    "money_claimed",
    "All of its money is on its way, or has gone: it cannot go elsewhere any more.",
    lambda at, who: at.redirectable,
)
CODE_SENT = Need("no_code_sent", "No change of where the money goes waits for a code.", lambda at, who: at.awaits_code)
UNINVOLVED = Need(
    "decided_before",
    "Whoever asked for it or approved it does not say that it was paid outside: somebody else has to.",
    lambda at, who: who.reference not in (at.requested_by, at.approved_by),
    Forbidden,
)
CONTESTABLE = Need(
    "not_contestable",
    "Nothing of it was refused; or the time to contest that is over.",
    lambda at, who: at.contestable,
)
STILL_LOOKED_AT = Need(
    "not_contestable",
    "It was refused, and the time to contest that is over.",
    lambda at, who: at.state is not RefundState.REJECTED or at.contestable,
)
NOT_STOPPED = Need("being_stopped", "The carrier is turning the parcel round.", lambda at, who: not at.being_stopped)
NOT_BACK = Need("goods_returned", "The carrier has brought the parcel back.", lambda at, who: not at.turned_back)
NOT_WISHED_AWAY = Need(
    "cancel_requested", "It is to be cancelled once the courier confirms.", lambda at, who: not at.cancel_wanted
)
COMES_HOME = Need(
    "nothing_to_receive",
    "No goods were to come back for this refund.",
    lambda at, who: at.state not in GOODS_MAY_ARRIVE | _PAID_BEFORE or at.route in (Route.PICKUP, Route.INTERCEPT),
)
NOT_HERE_YET = Need(
    "goods_received",
    "The goods have been received already.",
    lambda at, who: at.state not in GOODS_MAY_ARRIVE | _PAID_BEFORE or not at.received,
)
HERE = Need(
    "goods_not_received",
    "The goods have not been received.",
    lambda at, who: at.received or at.state is RefundState.INSPECTING,
)
NOT_INSPECTED = Need("goods_inspected", "Somebody has looked at these goods already.", lambda at, who: not at.inspected)
#: The customer has the goods: else he would lose both them and the money.
WITH_THE_CUSTOMER = (NOT_RECEIVED, NOT_UNDER_WAY, NOT_STOPPED, NOT_BACK)
MISSING = Need(
    "nothing_to_retry",
    "No movement of this refund has failed, or is unknown to its gateway.",
    lambda at, who: at.missing or at.unanswered,
)
UNDOUBTED = Need("outcome_open", "The gateway is being asked what became of it.", lambda at, who: not at.doubted)
SETTLED = Need("outcome_open", "The gateway has not said what became of it.", lambda at, who: not at.open_outcome)


@dataclass(frozen=True, slots=True)
class Rule:
    """`code`: of the 409 that answers when the state does not allow it; `done`: what the refund then cannot be."""

    action: Action
    roles: frozenset[Role]
    states: frozenset[RefundState] = frozenset()
    needs: tuple[Need, ...] = ()
    code: str = "wrong_state"
    done: str = ""


EVERYBODY = frozenset(Role)
AGENTS = frozenset({Role.SUPPORT, Role.SUPERVISOR})
GOODS_OUT = frozenset({Role.SHOP, Role.WAREHOUSE, Role.SUPERVISOR})
GOODS_IN = frozenset({Role.WAREHOUSE, Role.SUPERVISOR})
MONEY = frozenset({Role.FINANCE, Role.SUPERVISOR})
ACTS_FOR_THE_CUSTOMER = frozenset({Role.SHOP, Role.SUPPORT, Role.SUPERVISOR, Role.CUSTOMER, Role.SYSTEM})
#: An agent hears it from the customer, who has the code, or the customer says it himself.
SAY_WHERE_TO = AGENTS | MONEY | {Role.CUSTOMER}
#: What no customer decides: the price of what he keeps, and when shipping comes back.
ACTS_FOR_THE_SHOP = ACTS_FOR_THE_CUSTOMER - {Role.CUSTOMER}

_S = RefundState
_REVIEW, _AWAITS, _FAILED = frozenset({_S.IN_REVIEW}), frozenset({_S.AWAITING_RETURN}), frozenset({_S.FAILED})
_OFFERED = frozenset({_S.OFFERED})
#: It was approved, and has not been paid.
_APPROVED = frozenset({_S.AWAITING_RETURN, _S.INSPECTING, _S.REFUNDING})
#: It was refused, or a part of it.
_CHECKED = frozenset({_S.REJECTED, _S.REFUNDING, _S.FAILED}) | PAID_STATES
#: Where a person's word can be needed about its money.
_PAYING = frozenset({_S.FAILED, _S.REFUNDING})
#: A clock is running that a hold can stop.
WAITING = frozenset({_S.REQUESTED, _S.IN_REVIEW, _S.OFFERED, _S.AWAITING_RETURN, _S.INSPECTING, _S.REFUNDING})

RULES = (
    Rule(Action.READ, EVERYBODY),
    Rule(Action.PREVIEW, EVERYBODY),
    Rule(Action.REQUEST, ACTS_FOR_THE_CUSTOMER),
    Rule(Action.ADJUST, ACTS_FOR_THE_SHOP),
    Rule(Action.REQUEST_AMOUNT, MONEY | {Role.SHOP, Role.SYSTEM}),
    Rule(
        Action.CANCEL,
        ACTS_FOR_THE_CUSTOMER,
        CANCELLABLE_STATES | {_S.INSPECTING},
        (UNCLAIMED, *WITH_THE_CUSTOMER),
        code="not_cancellable",
        done="cancelled",
    ),
    Rule(Action.APPROVE, AGENTS, _REVIEW, (BY_ANOTHER, ANOTHER_JUDGE, NOT_ANOTHERS), done="approved"),
    Rule(
        Action.SECOND_APPROVE,
        AGENTS | MONEY,
        _APPROVED,
        (LACKS_SECOND, BY_ANOTHER, SECOND_EYES, NOT_REDIRECTED),
        done="approved by a second person",
    ),
    Rule(Action.REJECT, AGENTS, _REVIEW, (ANOTHER_JUDGE, NOT_ANOTHERS, TO_BE_INSPECTED, NOT_CARRIED), done="rejected"),
    Rule(
        Action.OFFER,
        AGENTS,
        _REVIEW,
        (BY_ANOTHER, ANOTHER_JUDGE, NOT_ANOTHERS, *WITH_THE_CUSTOMER),
        done="answered with an offer",
    ),
    Rule(Action.ACCEPT_OFFER, ACTS_FOR_THE_CUSTOMER, _OFFERED, WITH_THE_CUSTOMER, code="no_offer", done="accepted"),
    Rule(Action.DECLINE_OFFER, ACTS_FOR_THE_CUSTOMER, _OFFERED, code="no_offer", done="declined"),
    Rule(Action.ASK, AGENTS, _REVIEW, (NOT_ANOTHERS,), done="asked about"),
    Rule(Action.WRITE, ACTS_FOR_THE_CUSTOMER - {Role.SYSTEM}, frozenset(_S), done="written about"),
    Rule(
        Action.EVIDENCE,
        ACTS_FOR_THE_CUSTOMER - {Role.SYSTEM},
        frozenset({_S.IN_REVIEW, _S.OFFERED, _S.INSPECTING, _S.REJECTED}),
        (STILL_LOOKED_AT,),
        done="shown photos of",
    ),
    Rule(Action.CONTEST, ACTS_FOR_THE_CUSTOMER, _CHECKED, (CONTESTABLE,), code="not_contestable", done="contested"),
    Rule(Action.REOPEN, AGENTS, frozenset({_S.REJECTED}), done="reopened"),
    Rule(Action.HOLD, AGENTS, WAITING, (UNCLAIMED,), done="put on hold"),
    Rule(Action.RESUME, AGENTS, WAITING, (ON_HOLD,), done="resumed"),
    Rule(Action.SHIP_BACK, ACTS_FOR_THE_CUSTOMER, _AWAITS, (NOT_CARRIED, DELIVERED), done="sent back"),
    Rule(
        Action.REBOOK_PICKUP,
        ACTS_FOR_THE_CUSTOMER,
        _AWAITS,
        (FETCHED, NOT_UNDER_WAY, NOT_WISHED_AWAY),
        done="picked up at another time",
    ),
    Rule(
        Action.RECEIVE,
        GOODS_IN,
        _REVIEW | _OFFERED | _AWAITS | GOODS_MAY_ARRIVE | _PAID_BEFORE,
        (COMES_HOME, NOT_HERE_YET),
        done="received",
    ),
    Rule(
        Action.INSPECT,
        GOODS_IN,
        frozenset({_S.INSPECTING}) | _PAID_BEFORE,
        (HERE, NOT_INSPECTED),
        done="inspected",
    ),
    Rule(
        Action.CONFIRM_STOP,
        GOODS_OUT,
        frozenset({_S.REQUESTED}),
        (UNCONFIRMED,),
        code="stop_not_awaited",
        done="confirmed as stopped",
    ),
    Rule(Action.RETRY, MONEY, _PAYING, (MISSING, UNDOUBTED), done="retried"),
    Rule(
        Action.RECORD_EXTERNAL,
        MONEY,
        _PAYING,
        (MISSING, UNDOUBTED, UNINVOLVED),
        done="recorded as paid in another way",
    ),
    Rule(
        Action.SET_TARGET,
        SAY_WHERE_TO,
        WAITING | _FAILED,
        (REDIRECTABLE, UNDOUBTED),
        done="sent elsewhere",
    ),
    Rule(
        Action.CONFIRM_TARGET,
        SAY_WHERE_TO,
        WAITING | _FAILED,
        (CODE_SENT, REDIRECTABLE, UNDOUBTED),
        done="sent elsewhere",
    ),
    Rule(Action.CLOSE, MONEY, _FAILED, (SETTLED,), done="closed"),
    Rule(Action.ASSIGN, AGENTS, WAITING | _FAILED, done="assigned"),
    Rule(Action.SPEND_CREDIT, frozenset({Role.SHOP, Role.SUPERVISOR})),
)
RULE_OF = {rule.action: rule for rule in RULES}


def permit(action: Action, actor: Actor) -> None:
    """Raise Forbidden (`role_forbidden`, HTTP 403) unless the actor's role may do this at all."""
    if actor.role not in RULE_OF[action].roles:
        raise Forbidden("role_forbidden", f"The role {actor.role} may not {action} a refund.")


def hindrance(action: Action, at: Position, actor: Actor) -> Problem | None:
    """Why an action that the actor's role may do cannot be done now, by him."""
    rule = RULE_OF[action]
    if at.state not in rule.states:
        return Conflict(rule.code, f"A refund that is {at.state} cannot be {rule.done}.", state=at.state)
    unmet = next((need for need in rule.needs if not need.is_met(at, actor)), None)
    return unmet.problem(unmet.code, unmet.detail, state=at.state) if unmet else None


def allowed(at: Position, actor: Actor) -> tuple[Action, ...]:
    """What this actor can do next about a refund."""
    return tuple(r.action for r in RULES if actor.role in r.roles and hindrance(r.action, at, actor) is None)
