"""Channels with webhooks, and the deliveries that they are owed."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from orders import clock
from orders.models import Channel
from refunds.models import Refund, WebhookDelivery, WebhookEndpoint
from refunds.services.hooks.endpoints import declare_endpoints
from refunds.services.hooks.following import follow_feed
from tests.integration.refunds_api import rows

URL = "http://127.0.0.1:9/hook"
PATIENCE_SECONDS = 30
Hook = dict[str, object]


def hook(url: str = URL, *types: str, secret: str = "env:HOOK_SECRET") -> Hook:
    return {"url": url, "secret": secret, "types": list(types)}


def declare(channel: Channel, *hooks: Hook) -> None:
    """As the channel's controller does it, by one more generation."""
    with transaction.atomic():
        channel.webhooks, channel.served_generation = list(hooks), channel.served_generation + 1
        channel.save(update_fields=["webhooks", "served_generation"])
        declare_endpoints(channel, now=clock.now())


def follow(*, until: int) -> list[WebhookDelivery]:
    """Follow as the sweep does. Transactions of other databases of the server may hold the horizon for a moment."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        follow_feed()
        if WebhookDelivery.objects.count() >= until:
            break
    return list(WebhookDelivery.objects.order_by("id"))


def caught_up() -> None:
    """Wait until a new event would be followed: nothing older is running, anywhere on the server."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
        until = cursor.fetchone()[0]
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
            if cursor.fetchone()[0] >= until:
                return
    raise AssertionError("an old transaction does not end")


def happened(refund: Refund, *kinds: str) -> None:
    """Events in a transaction each."""
    for kind in kinds:
        rows.an_event(refund, kind)


def owed(count: int = 1, *, channel: Channel | None = None, url: str = URL) -> list[WebhookDelivery]:
    """Deliveries as the follower leaves them: of as many refunds, without the feed's horizon."""
    channel = channel or rows.default_channel()
    endpoint = WebhookEndpoint.objects.filter(channel=channel, url=url, removed_at=None).first()
    if endpoint is None:
        declare(channel, hook(url))
        endpoint = WebhookEndpoint.objects.get(channel=channel, url=url)
    return [delivery_of(rows.Case(channel).refund, endpoint, "refund.requested") for _ in range(count)]


def delivery_of(refund: Refund, endpoint: WebhookEndpoint, kind: str) -> WebhookDelivery:
    event, now = rows.an_event(refund, kind), clock.now()
    return WebhookDelivery.objects.create(
        endpoint=endpoint, event=event, refund=refund, seq=event.seq, next_reconcile_at=now, created_at=now
    )


@contextmanager
def another_transaction(statement: str, parameters: list[object]) -> Iterator[None]:
    """Runs it on a connection of its own, and commits at the end of the block."""
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute(statement, parameters)
            yield
            cursor.execute("COMMIT")
    finally:
        other.close()
