"""What the services know of the gateway accounts: their limits, and which one is store credit.

The adapters lie above; the wiring that chooses them is named in the settings, as Django's backends are.
"""

from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string

from workers.ports import Limits


def limits_of(account: str) -> Limits:
    """What the account refuses however it is asked; nothing where it is not configured."""
    return _limits()(account)


def credit_accounts() -> tuple[str, ...]:
    """The accounts that are store credit."""
    accounts = settings.GATEWAY_ACCOUNTS.items()
    return tuple(name for name, config in accounts if config.get("adapter") == "store_credit")


def credit_account() -> str:
    """The one that refunds are given to; empty where the shop gives no store credit."""
    return next(iter(credit_accounts()), "")


@cache
def _limits() -> Callable[[str], Limits]:
    found: Callable[[str], Limits] = import_string(settings.GATEWAY_LIMITS)
    return found
