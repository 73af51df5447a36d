"""A web process reads which channels there are, and tells what it has read: the controller of channels waits for it."""

import json
from datetime import datetime

from orders.models import Channel
from orders.registry import Served, registry
from refunds import records
from refunds.selectors import declared_accounts

#: A process that was not heard of for so long has ended without a word.
FORGET_SECONDS = 60
_HEARD = """
INSERT INTO refunds_webprocess AS process (name, loaded, started_at, seen_at) VALUES (%s, %s, %s, refundry_now())
ON CONFLICT (name) DO UPDATE SET loaded = EXCLUDED.loaded, seen_at = EXCLUDED.seen_at
"""
_FORGET = "DELETE FROM refunds_webprocess WHERE seen_at < refundry_now() - make_interval(secs => %s)"
_COLUMNS = ("id", "slug", "hostnames", "origins", "default_locale", "closing_at", "served_generation")


def load_registry() -> None:
    """Fill this process's registry from all rows, and what channels bring along; a retired one is served by nobody."""
    declared_accounts.look_again()
    rows = Channel.objects.filter(retired_at=None).values_list(*_COLUMNS)
    registry.load(
        Served(channel_id, slug, tuple(hostnames), tuple(origins), locale, closing_at is not None, generation)
        for channel_id, slug, hostnames, origins, locale, closing_at, generation in rows
    )


def be_heard(name: str, *, started_at: datetime) -> None:
    """Tell under this name what is loaded, and forget those that are not heard of any more."""
    loaded = json.dumps({served.slug: served.generation for served in registry.all()})
    records.execute(_HEARD, [name, loaded, started_at])
    records.execute(_FORGET, [FORGET_SECONDS])


def be_forgotten(name: str) -> None:
    """This process serves nobody any more."""
    records.execute("DELETE FROM refunds_webprocess WHERE name = %s", [name])
