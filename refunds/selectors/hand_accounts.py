"""Whose money a person pays back by hand."""

from refunds.models import GatewayRefund
from refunds.selectors.gateway_accounts import accounts_with
from refunds.states import MovementState


def hand_accounts() -> frozenset[str]:
    """The accounts that no gateway stands behind (adapter `manual`)."""
    return accounts_with("manual")


def is_by_hand(movement: GatewayRefund) -> bool:
    """It is to be paid, and only a person can."""
    accounts = hand_accounts() if movement.state == MovementState.INTENDED and movement.call == "idle" else ()
    return bool(accounts) and (movement.target or movement.share.payment.account) in accounts
