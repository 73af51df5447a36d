"""The gateway accounts that channels have declared, as this process knows them: looked at again at most once in
`DECLARED_ACCOUNTS_SECONDS`, and only by threads that have the database in hand. A thread that is on a call opens no
connection to learn what it was called with.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from orders.models import Channel


@dataclass(frozen=True, slots=True)
class DeclaredAccount:
    """As its channel has it; `secret` and `webhook_secret` are references. Another `generation` is another account."""

    name: str
    channel_id: int
    channel: str
    generation: int
    adapter: str
    base_url: str
    secret: str
    webhook_secret: str


class _Known:
    def __init__(self) -> None:
        self.accounts: Mapping[str, DeclaredAccount] = {}
        self.looked_at = float("-inf")


_known = _Known()


def declared_accounts() -> Mapping[str, DeclaredAccount]:
    """By name; at most so old, where this thread has a connection already, else as they were seen last."""
    if connection.connection is None:
        return _known.accounts
    return look()


def look() -> Mapping[str, DeclaredAccount]:
    """By name, at most so old."""
    if time.monotonic() - _known.looked_at > settings.DECLARED_ACCOUNTS_SECONDS:
        look_again()
    return _known.accounts


def look_again() -> None:
    now = time.monotonic()
    _known.accounts, _known.looked_at = _read(), now


def forget() -> None:
    """The next look reads them."""
    _known.accounts, _known.looked_at = {}, float("-inf")


def _read() -> Mapping[str, DeclaredAccount]:
    rows = Channel.objects.filter(retired_at=None).exclude(accounts=[])
    return {
        account["name"]: DeclaredAccount(channel_id=channel_id, channel=slug, generation=generation, **account)
        for channel_id, slug, generation, accounts in rows.values_list("id", "slug", "served_generation", "accounts")
        for account in accounts
    }
