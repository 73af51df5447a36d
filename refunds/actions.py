"""One table action x role x state: who may do what, and when. Pure; every door reads it, none keeps its own.

An action without states is not about an existing refund (`request`) or does not depend on its state (`read`).
"""

from dataclasses import dataclass
from enum import StrEnum

from orders.errors import Forbidden
from orders.roles import Actor, Role
from refunds.states import CANCELLABLE_STATES, RefundState


class Action(StrEnum):
    READ = "read"
    PREVIEW = "preview"
    REQUEST = "request"
    CANCEL = "cancel"
    APPROVE = "approve"
    REJECT = "reject"
    HOLD = "hold"
    RESUME = "resume"
    SHIP_BACK = "ship_back"
    REBOOK_PICKUP = "rebook_pickup"
    RECEIVE = "receive"
    INSPECT = "inspect"
    RETRY = "retry"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Rule:
    """`until_claim`: only while no movement of the refund has been claimed, whatever its state. `while_held`: only
    while it is on hold. `code`: of the 409 that answers when the state does not allow it.
    """

    action: Action
    roles: frozenset[Role]
    states: frozenset[RefundState] = frozenset()
    until_claim: bool = False
    while_held: bool = False
    code: str = "wrong_state"


EVERYBODY = frozenset(Role)
AGENTS = frozenset({Role.SUPPORT, Role.SUPERVISOR})
GOODS_IN = frozenset({Role.WAREHOUSE, Role.SUPERVISOR})
MONEY = frozenset({Role.FINANCE, Role.SUPERVISOR})
ACTS_FOR_THE_CUSTOMER = frozenset({Role.SHOP, Role.SUPPORT, Role.SUPERVISOR, Role.CUSTOMER, Role.SYSTEM})

_S = RefundState
#: A clock is running that a hold can stop.
WAITING = frozenset({_S.REQUESTED, _S.IN_REVIEW, _S.OFFERED, _S.AWAITING_RETURN, _S.INSPECTING, _S.REFUNDING})

RULES = (
    Rule(Action.READ, EVERYBODY),
    Rule(Action.PREVIEW, EVERYBODY),
    Rule(Action.REQUEST, ACTS_FOR_THE_CUSTOMER),
    Rule(Action.CANCEL, ACTS_FOR_THE_CUSTOMER, CANCELLABLE_STATES, until_claim=True, code="not_cancellable"),
    Rule(Action.APPROVE, AGENTS, frozenset({_S.IN_REVIEW})),
    Rule(Action.REJECT, AGENTS, frozenset({_S.IN_REVIEW})),
    Rule(Action.HOLD, AGENTS, WAITING, until_claim=True),
    Rule(Action.RESUME, AGENTS, WAITING, while_held=True),
    Rule(Action.SHIP_BACK, ACTS_FOR_THE_CUSTOMER, frozenset({_S.AWAITING_RETURN})),
    Rule(Action.REBOOK_PICKUP, ACTS_FOR_THE_CUSTOMER, frozenset({_S.AWAITING_RETURN})),
    Rule(Action.RECEIVE, GOODS_IN, frozenset({_S.IN_REVIEW, _S.AWAITING_RETURN})),
    Rule(Action.INSPECT, GOODS_IN, frozenset({_S.INSPECTING})),
    Rule(Action.RETRY, MONEY, frozenset({_S.FAILED})),
    Rule(Action.CLOSE, MONEY, frozenset({_S.FAILED})),
)
RULE_OF = {rule.action: rule for rule in RULES}


def permit(action: Action, actor: Actor) -> None:
    """Raise Forbidden (`role_forbidden`, HTTP 403) unless the actor's role may do this at all."""
    if actor.role not in RULE_OF[action].roles:
        raise Forbidden("role_forbidden", f"The role {actor.role} may not {action} a refund.")


def allowed(*, role: Role, state: RefundState, claimed: bool, held: bool = False) -> tuple[Action, ...]:
    """What this role can do next with a refund in this state; `claimed`: a movement of it has left, or may have."""
    return tuple(
        rule.action
        for rule in RULES
        if state in rule.states and role in rule.roles
        if not (claimed and rule.until_claim) and (held or not rule.while_held)
    )
