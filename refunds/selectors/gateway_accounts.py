"""Which gateway accounts there are: those of the settings, and those that channels have declared. The settings win."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from refunds.selectors.declared_accounts import DeclaredAccount, declared_accounts, look


def account_names(*, channel_id: int | None = None) -> tuple[str, ...]:
    """`channel_id`: without those of other channels, which are not for the orders of this one."""
    theirs = (a.name for a in look().values() if channel_id in (None, a.channel_id))
    return tuple(dict.fromkeys([*settings.GATEWAY_ACCOUNTS, *theirs]))


def account_config(name: str) -> Mapping[str, Any] | None:
    """How the account is configured, of a declared one all but its secrets; None: there is no such account."""
    stated = settings.GATEWAY_ACCOUNTS.get(name)
    if stated is None and (declared := declared_accounts().get(name)):
        return config_of(declared)
    return stated


def config_of(declared: DeclaredAccount) -> dict[str, Any]:
    return {"adapter": declared.adapter, "base_url": declared.base_url}


def accounts_with(adapter: str) -> frozenset[str]:
    """The names of those that this adapter stands behind."""
    stated = {name: config.get("adapter") for name, config in settings.GATEWAY_ACCOUNTS.items()}
    adapters = {name: declared.adapter for name, declared in declared_accounts().items()} | stated
    return frozenset(name for name, one in adapters.items() if one == adapter)
