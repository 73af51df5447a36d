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


@dataclass(frozen=True, slots=True)
class Rule:
    """`until_claim`: only while no movement of the refund has been claimed, whatever its state."""

    action: Action
    roles: frozenset[Role]
    states: frozenset[RefundState] = frozenset()
    until_claim: bool = False


EVERYBODY = frozenset(Role)
ACTS_FOR_THE_CUSTOMER = frozenset({Role.SHOP, Role.SUPPORT, Role.SUPERVISOR, Role.CUSTOMER, Role.SYSTEM})

RULES = (
    Rule(Action.READ, EVERYBODY),
    Rule(Action.PREVIEW, EVERYBODY),
    Rule(Action.REQUEST, ACTS_FOR_THE_CUSTOMER),
    Rule(Action.CANCEL, ACTS_FOR_THE_CUSTOMER, CANCELLABLE_STATES, until_claim=True),
)
_RULE_OF = {rule.action: rule for rule in RULES}


def permit(action: Action, actor: Actor) -> None:
    """Raise Forbidden (`role_forbidden`, HTTP 403) unless the actor's role may do this at all."""
    if actor.role not in _RULE_OF[action].roles:
        raise Forbidden("role_forbidden", f"The role {actor.role} may not {action} a refund.")


def allowed(*, role: Role, state: RefundState, claimed: bool) -> tuple[Action, ...]:
    """What this role can do next with a refund in this state; `claimed`: a movement of it has left, or may have."""
    return tuple(
        rule.action
        for rule in RULES
        if state in rule.states and role in rule.roles and not (claimed and rule.until_claim)
    )
