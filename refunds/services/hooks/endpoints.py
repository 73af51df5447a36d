"""The addresses that a channel's manifest names, as rows that remember from when on each is owed events."""

from datetime import datetime

from orders.models import Channel
from refunds.models import WebhookEndpoint
from refunds.selectors.feed import oldest_running_transaction

_COLUMNS = ("secret", "types", "generation", "since", "disabled_at", "removed_at")


def declare_endpoints(channel: Channel, *, now: datetime) -> None:
    """Call it in the transaction that writes the channel's `webhooks`: what commits after it is owed to them.

    An address that is new, or was not told of events for a while, begins with what happens from now on.
    """
    wanted, since = {hook["url"]: hook for hook in channel.webhooks}, oldest_running_transaction()
    known = {row.url: row for row in WebhookEndpoint.objects.select_for_update().filter(channel=channel)}
    for url, row in known.items():
        if hook := wanted.get(url):
            if row.removed_at or row.disabled_at:
                row.since, row.removed_at, row.disabled_at = since, None, None
            row.secret, row.types, row.generation = hook["secret"], hook["types"], channel.served_generation
        else:
            row.removed_at = row.removed_at or now
    WebhookEndpoint.objects.bulk_update(known.values(), _COLUMNS)
    WebhookEndpoint.objects.bulk_create(
        WebhookEndpoint(channel=channel, since=since, generation=channel.served_generation, **hook)
        for url, hook in wanted.items()
        if url not in known
    )


def closed_addresses(channel: Channel) -> list[str]:
    """Those that it names, and that have answered 410."""
    found = WebhookEndpoint.objects.filter(channel=channel, removed_at=None, disabled_at__isnull=False)
    return list(found.order_by("url").values_list("url", flat=True))
