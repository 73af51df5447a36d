"""Which of the configured gateway accounts are store credit."""

from django.conf import settings


def credit_accounts() -> tuple[str, ...]:
    """The accounts that are store credit."""
    accounts = settings.GATEWAY_ACCOUNTS.items()
    return tuple(name for name, config in accounts if config.get("adapter") == "store_credit")


def credit_account() -> str:
    """The one that refunds are given to; empty where the shop gives no store credit."""
    return next(iter(credit_accounts()), "")
