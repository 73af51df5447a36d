"""Whose money a person pays back by hand."""

from django.conf import settings

from refunds.models import GatewayRefund
from refunds.states import MovementState


def hand_accounts() -> frozenset[str]:
    """The configured accounts that no gateway stands behind (adapter `manual`)."""
    accounts = settings.GATEWAY_ACCOUNTS.items()
    return frozenset(name for name, config in accounts if config.get("adapter") == "manual")


def is_by_hand(movement: GatewayRefund) -> bool:
    """It is to be paid, and only a person can."""
    accounts = hand_accounts() if movement.state == MovementState.INTENDED and movement.call == "idle" else ()
    return bool(accounts) and (movement.target or movement.share.payment.account) in accounts
