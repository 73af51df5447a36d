"""Under which domain messages have their identity, and where they lead."""

from datetime import timedelta
from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings

from orders.links import Link
from refunds.models import Notification

#: Longer than any time a customer is given from one message to the next.
LINK_LIFETIME = timedelta(days=30)


def domain_of(prefix: str) -> str:
    """What a Message-ID ends with."""
    return f"{prefix.lower()}.{_host()}"


@lru_cache(maxsize=1)
def _host() -> str:
    return urlsplit(settings.BASE_URL).hostname or "localhost"


def order_link(row: Notification, order_id: int) -> str:
    """The address of the order's page, the same for every attempt: it is good from when the message was owed."""
    return Link(order_id, "order", row.created_at + LINK_LIFETIME).url
