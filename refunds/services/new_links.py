"""A new link for who has lost his: mailed to the address of the order, and to no other."""

from collections.abc import Iterable

from django.db import transaction

from orders import clock
from refunds.models import Notification
from refunds.services.wakes import wake_notifications

#: Asked for again within the same hour of the clock, it is the same mail.
SAME_SECONDS = 3600
TEMPLATE = "new_link"


def mail_new_links(order_ids: Iterable[int]) -> None:
    """Owe the customer of each order a mail with a fresh link."""
    now = clock.now()
    hour = int(now.timestamp()) // SAME_SECONDS
    with transaction.atomic():
        for order_id in order_ids:
            owed, is_new = Notification.objects.get_or_create(
                order_id=order_id,
                event_seq=hour,
                channel="email",
                defaults={"template": TEMPLATE, "next_reconcile_at": now, "created_at": now},
            )
            if is_new:
                wake_notifications([owed.pk])
