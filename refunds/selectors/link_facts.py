"""What the mail with a new link tells, read for a whole batch in one statement."""

from collections.abc import Collection

from django.conf import settings

from orders.typed import is_mail_address
from refunds import records
from refunds.messages.facts import MessageFacts
from refunds.messages.language import language_for, locale_for
from refunds.models import Notification
from refunds.selectors.addresses import domain_of, order_link

_ORDERS = """
SELECT o.id, o.number, o.customer_name, o.customer_email, o.currency, o.customer_locale, c.default_locale,
    c.name, c.contact, c.sender
FROM orders_order o JOIN orders_channel c ON c.id = o.channel_id WHERE o.id = ANY(%b::bigint[])
"""


def link_facts(notifications: Collection[Notification]) -> dict[int, MessageFacts]:
    """Facts of mails about orders by notification id, as they are now. `to` is empty where none reaches anybody."""
    order_ids = sorted({n.order_id for n in notifications if n.order_id})
    orders = {row[0]: row[1:] for row in records.execute(_ORDERS, [order_ids]).fetchall()}
    return {n.id: _facts(n, n.order_id, *orders[n.order_id]) for n in notifications if n.order_id}


def _facts(row: Notification, order_id: int, *order: str) -> MessageFacts:
    number, customer, email, currency, locale, default_locale, shop, contact, sender = order
    domain, language = domain_of(settings.NUMBER_PREFIX), language_for(locale, default_locale)
    return MessageFacts(
        template=row.template,
        channel=row.channel,
        language=language,
        locale=locale_for(language, locale, default_locale),
        to=email if is_mail_address(email) else "",
        identity=row.identity(domain),
        thread=f"order.{order_id}@{domain}",
        refund="",
        request="",
        order=number,
        page=order_link(row, order_id),
        requested_at=row.created_at,
        currency=currency,
        amount_minor=0,
        customer=customer,
        shop=shop,
        contact=contact,
        sender=sender,
    )
