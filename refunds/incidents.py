"""The incidents, which a person must look at: who may close which, and which ends by itself. Pure, beside the table.

An incident is closed by hand, with a note, once its cause is over; most have none that lasts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from orders.errors import Conflict, Forbidden
from orders.roles import Actor, Role
from refunds.actions import AGENTS, GOODS_IN, MONEY
from refunds.states import FINAL_STATES, RefundState

INCIDENT_DUE = timedelta(hours=24)
UNKNOWN_PARCEL = "unknown_parcel"


@dataclass(frozen=True, slots=True)
class IncidentRule:
    """`roles` may close it, but not while its refund is in one of `lasts_in`, nor, if it `awaits_outcome`, while the
    gateway has not said what became of the money. The engine ends it when the refund comes into one of `ends_in`."""

    roles: frozenset[Role]
    lasts_in: frozenset[RefundState] = frozenset()
    ends_in: frozenset[RefundState] = frozenset()
    awaits_outcome: bool = False


_REVIEW, _FAILED = frozenset({RefundState.IN_REVIEW}), frozenset({RefundState.FAILED})
_FAILURE = IncidentRule(MONEY, lasts_in=_FAILED, ends_in=FINAL_STATES)
_UNCLEAR = IncidentRule(MONEY, ends_in=FINAL_STATES, awaits_outcome=True)
_PAYING = frozenset({RefundState.REFUNDING})
_BY_HAND = IncidentRule(MONEY, lasts_in=_PAYING, ends_in=frozenset(RefundState) - _PAYING)
_OF_REVIEW = IncidentRule(AGENTS, lasts_in=_REVIEW, ends_in=frozenset(RefundState) - _REVIEW)
#: What a parcel may be that is not what was announced: its goods wait, for as long as the case is open.
DOUBTS = frozenset({"wrong_parcel", "weight_differs"})
_HOME = frozenset({RefundState.AWAITING_RETURN, RefundState.INSPECTING})
_DOUBT = IncidentRule(AGENTS, ends_in=frozenset(RefundState) - _HOME)
INCIDENT_RULES = {
    **dict.fromkeys(sorted(DOUBTS), _DOUBT),
    "refund_failed": _FAILURE,
    "refund_reversed": _FAILURE,
    "pay_by_hand": _BY_HAND,
    "outcome_unknown": _UNCLEAR,
    "outcome_pending": _UNCLEAR,
    "shipped_after_refund": IncidentRule(AGENTS | MONEY),
    "delivered_after_refund": IncidentRule(AGENTS | MONEY),
    "second_refund_at_gateway": IncidentRule(MONEY),
    "orphaned_refund": IncidentRule(MONEY),
    "orphaned_pickup": IncidentRule(AGENTS),
    "excess": IncidentRule(MONEY),
    "ledger_difference": IncidentRule(MONEY),
    "money_for_cancelled_order": IncidentRule(MONEY),
    "dispute_opened": IncidentRule(MONEY),
    "dispute_won": IncidentRule(MONEY),
    "dispute_lost": IncidentRule(MONEY),
    "goods_arrived": IncidentRule(AGENTS),
    UNKNOWN_PARCEL: IncidentRule(AGENTS),
    "return_short": IncidentRule(AGENTS | MONEY),
    "return_failed": _OF_REVIEW,
    "review_overdue": _OF_REVIEW,
    "proof_missing": _OF_REVIEW,
    "message_refused": IncidentRule(AGENTS),
    "message_undelivered": IncidentRule(AGENTS),
}
#: Whatever else a gateway may tell.
_OTHER = IncidentRule(AGENTS | MONEY)
#: Money trouble is what finance may close.
ABOUT_MONEY = frozenset(kind for kind, rule in INCIDENT_RULES.items() if Role.FINANCE in rule.roles)


@dataclass(frozen=True, slots=True)
class Cause:
    """Where the refund stands that an incident is about; `open_outcome`: the gateway has not said what became of it."""

    state: RefundState
    open_outcome: bool


def rule_of(kind: str) -> IncidentRule:
    return INCIDENT_RULES.get(kind, _OTHER)


def ended_in(state: RefundState, kinds: Iterable[str]) -> set[str]:
    """Those of these incidents that end when their refund comes into this state."""
    return {kind for kind in kinds if state in rule_of(kind).ends_in}


def permit_closing(kind: str, actor: Actor) -> None:
    """Raise Forbidden (`role_forbidden`) unless the actor's role may close such an incident at all."""
    if actor.role not in rule_of(kind).roles:
        raise Forbidden("role_forbidden", f"The role {actor.role} may not close this incident.")


def lasting(kind: str, cause: Cause | None) -> Conflict | None:
    """Why it cannot be closed by hand now; without a refund there is no cause that lasts."""
    rule = rule_of(kind)
    if cause and (cause.state in rule.lasts_in or (rule.awaits_outcome and cause.open_outcome)):
        return Conflict("incident_lasts", "Its cause lasts: it ends with that by itself.", state=cause.state)
    return None


def may_close(kind: str, cause: Cause | None, actor: Actor) -> bool:
    """Of one that is open."""
    return actor.role in rule_of(kind).roles and lasting(kind, cause) is None


def may_match(kind: str, actor: Actor) -> bool:
    """Of one that is open: who is told whose a parcel is, or sees it, says so."""
    return kind == UNKNOWN_PARCEL and actor.role in AGENTS | GOODS_IN
