"""One table action x role x state, and what else an action needs. Pure; every door reads it, none keeps its own.

An action without states is not about an existing refund (`request`; `adjust`: of lines' prices, or of the shipping;
`request_amount`: of a free amount) or does not depend on its state (`read`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from orders.errors import Conflict, Forbidden, Problem
from orders.roles import Actor, Role
from refunds.needs import (
    ANOTHER_JUDGE,
    AT_HAND,
    BY_ANOTHER,
    CODE_SENT,
    COMES_HOME,
    CONTESTABLE,
    DELIVERED,
    FETCHED,
    FOUND_WRONG,
    HERE,
    LACKS_SECOND,
    MAY_BYPASS,
    MISSING,
    NO_LABEL_YET,
    NOT_ANOTHERS,
    NOT_CARRIED,
    NOT_HERE_YET,
    NOT_INSPECTED,
    NOT_REDIRECTED,
    NOT_REPLACED,
    NOT_UNDER_WAY,
    NOT_WISHED_AWAY,
    ON_HOLD,
    ON_ITS_WAY_OUT,
    PAID_BEFORE,
    PAYABLE_OUTSIDE,
    PROOF_AWAITED,
    REDIRECTABLE,
    REPLACEABLE,
    SECOND_EYES,
    SETTLED,
    SOMEBODY_LOOKS,
    STILL_LOOKED_AT,
    TO_BE_INSPECTED,
    UNCLAIMED,
    UNCONFIRMED,
    UNDOUBTED,
    UNINVOLVED,
    WITH_THE_CUSTOMER,
    Need,
    Position,
)
from refunds.states import CANCELLABLE_STATES, GOODS_MAY_ARRIVE, PAID_STATES, RefundState


class Action(StrEnum):
    READ = "read"
    PREVIEW = "preview"
    REQUEST = "request"
    ADJUST = "adjust"
    REQUEST_AMOUNT = "request_amount"
    CANCEL = "cancel"
    APPROVE = "approve"
    SECOND_APPROVE = "second_approve"
    BYPASS_SECOND = "bypass_second"
    REJECT = "reject"
    OFFER = "offer"
    ACCEPT_OFFER = "accept_offer"
    DECLINE_OFFER = "decline_offer"
    ASK = "ask"
    WRITE = "write"
    EVIDENCE = "evidence"
    CONTEST = "contest"
    REOPEN = "reopen"
    REPLACE = "replace"
    HOLD = "hold"
    RESUME = "resume"
    SHIP_BACK = "ship_back"
    REBOOK_PICKUP = "rebook_pickup"
    DROP_OFF = "drop_off"
    RECEIVE = "receive"
    DOUBT_PARCEL = "doubt_parcel"
    INSPECT = "inspect"
    DISPOSE = "dispose"
    CONFIRM_STOP = "confirm_stop"
    PROVE_DELIVERY = "prove_delivery"
    CONFIRM_ARRIVAL = "confirm_arrival"
    RETRY = "retry"
    RECORD_EXTERNAL = "record_external"
    CLOSE = "close"
    SET_TARGET = "set_target"
    CONFIRM_TARGET = "confirm_target"
    ASSIGN = "assign"
    SPEND_CREDIT = "spend_credit"


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
    Rule(
        Action.BYPASS_SECOND,
        frozenset({Role.FINANCE}),
        _APPROVED,
        (LACKS_SECOND, MAY_BYPASS),
        done="let pass without a second person",
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
        frozenset({_S.REQUESTED, _S.IN_REVIEW, _S.OFFERED, _S.INSPECTING, _S.REJECTED}),
        (SOMEBODY_LOOKS, STILL_LOOKED_AT),
        done="shown photos of",
    ),
    Rule(Action.CONTEST, ACTS_FOR_THE_CUSTOMER, _CHECKED, (CONTESTABLE,), code="not_contestable", done="contested"),
    Rule(Action.REOPEN, AGENTS, frozenset({_S.REJECTED}), done="reopened"),
    Rule(
        Action.REPLACE,
        AGENTS | {Role.SHOP},
        _REVIEW | _APPROVED,
        (UNCLAIMED, REPLACEABLE, NOT_REPLACED),
        done="replaced, or paid instead",
    ),
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
        Action.DROP_OFF,
        ACTS_FOR_THE_CUSTOMER,
        _AWAITS,
        (FETCHED, NO_LABEL_YET, NOT_UNDER_WAY, NOT_WISHED_AWAY),
        done="handed in",
    ),
    Rule(
        Action.RECEIVE,
        GOODS_IN,
        _REVIEW | _OFFERED | _AWAITS | GOODS_MAY_ARRIVE | PAID_BEFORE,
        (COMES_HOME, NOT_HERE_YET),
        done="received",
    ),
    Rule(
        Action.DOUBT_PARCEL,
        AGENTS | GOODS_IN,
        _REVIEW | _AWAITS | frozenset({_S.INSPECTING}),
        (AT_HAND, NOT_INSPECTED),
        done="doubted",
    ),
    Rule(
        Action.INSPECT,
        GOODS_IN,
        frozenset({_S.INSPECTING}) | PAID_BEFORE,
        (HERE, NOT_INSPECTED),
        done="inspected",
    ),
    Rule(Action.DISPOSE, GOODS_IN, _REVIEW | _CHECKED, (FOUND_WRONG,), done="disposed of"),
    Rule(
        Action.CONFIRM_STOP,
        GOODS_OUT,
        frozenset({_S.REQUESTED}),
        (UNCONFIRMED,),
        code="stop_not_awaited",
        done="confirmed as stopped",
    ),
    Rule(
        Action.CONFIRM_ARRIVAL,
        ACTS_FOR_THE_CUSTOMER - {Role.SYSTEM},
        _REVIEW | _AWAITS,
        (ON_ITS_WAY_OUT, NOT_WISHED_AWAY),
        done="said to have arrived",
    ),
    Rule(Action.PROVE_DELIVERY, GOODS_OUT | AGENTS, _REVIEW, (PROOF_AWAITED,), done="proved as delivered"),
    Rule(Action.RETRY, MONEY, _PAYING, (MISSING, UNDOUBTED), done="retried"),
    Rule(
        Action.RECORD_EXTERNAL,
        MONEY,
        _PAYING,
        (PAYABLE_OUTSIDE, UNDOUBTED, UNINVOLVED),
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
#: What somebody can ask of an order.
ASKING = (Action.REQUEST, Action.ADJUST, Action.REQUEST_AMOUNT)


def permit(action: Action, actor: Actor) -> None:
    """Raise Forbidden (`role_forbidden`, HTTP 403) unless the actor's role may do this at all."""
    if actor.role not in RULE_OF[action].roles:
        raise Forbidden("role_forbidden", f"The role {actor.role} may not {action} a refund.")


def permit_one_of(actions: Sequence[Action], actor: Actor) -> None:
    """Raise what `permit` raises for the first of them, unless the actor's role may do one of them."""
    if not any(actor.role in RULE_OF[action].roles for action in actions):
        permit(actions[0], actor)


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
