"""Who may do what, as a table."""

import pytest

from orders.errors import Forbidden
from orders.roles import Actor, Role
from refunds.actions import RULES, Action, allowed, permit
from refunds.states import RefundState

READERS = (Role.WAREHOUSE, Role.FINANCE, Role.AUDITOR)
ACTORS = (Role.SHOP, Role.SUPPORT, Role.SUPERVISOR, Role.CUSTOMER, Role.SYSTEM)


def test_every_action_has_one_rule() -> None:
    assert sorted(rule.action for rule in RULES) == sorted(Action)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("action", [Action.READ, Action.PREVIEW])
def test_everybody_reads(action, role) -> None:
    permit(action, Actor("principal:1", role))


@pytest.mark.parametrize("action", [Action.REQUEST, Action.CANCEL])
def test_readers_do_not_act(action) -> None:
    for role in ACTORS:
        permit(action, Actor("principal:1", role))
    for role in READERS:
        with pytest.raises(Forbidden) as refused:
            permit(action, Actor("principal:1", role))
        assert (refused.value.status, refused.value.code) == (403, "role_forbidden")


@pytest.mark.parametrize(
    ("state", "claimed", "expected"),
    [
        (RefundState.REQUESTED, False, (Action.CANCEL,)),
        (RefundState.REFUNDING, False, (Action.CANCEL,)),
        (RefundState.REFUNDING, True, ()),
        (RefundState.INSPECTING, False, ()),
        (RefundState.REFUNDED, False, ()),
        (RefundState.FAILED, False, ()),
    ],
)
def test_a_refund_is_cancelled_only_before_its_money_is_claimed(state, claimed, expected) -> None:
    assert allowed(role=Role.SHOP, state=state, claimed=claimed) == expected
