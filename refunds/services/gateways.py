"""What the services know of the gateway accounts: their names and limits.

The adapters lie above; the wiring that chooses them is named in the settings, as Django's backends are.
"""

from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.utils.module_loading import import_string

from refunds.selectors.gateway_accounts import account_names
from workers.ports import Limits


def accounts(channel_id: int) -> tuple[str, ...]:
    """Those that orders of this channel are paid at."""
    return account_names(channel_id=channel_id)


def limits_of(account: str) -> Limits:
    """What the account refuses however it is asked; nothing where it is not configured."""
    return _limits()(account)


@cache
def _limits() -> Callable[[str], Limits]:
    found: Callable[[str], Limits] = import_string(settings.GATEWAY_LIMITS)
    return found
