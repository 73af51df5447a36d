"""Store credit as it stands: whose it is, how much, and what came and went."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from django.db.models import QuerySet

from orders.models import Order
from refunds.models import StoreCreditAccount, StoreCreditEntry
from refunds.records import execute

_WRONG = """
SELECT c.slug, a.holder, a.currency, a.balance_minor, coalesce(sum(e.amount_minor), 0)::bigint AS booked
FROM refunds_storecreditaccount a JOIN orders_channel c ON c.id = a.channel_id
LEFT JOIN refunds_storecreditentry e ON e.account_id = a.id
GROUP BY a.id, c.slug HAVING a.balance_minor <> coalesce(sum(e.amount_minor), 0) ORDER BY a.id
"""
_ODD = """
SELECT e.number, e.amount_minor, m.number IS NULL AS unknown FROM refunds_storecreditentry e
LEFT JOIN refunds_gatewayrefund m ON m.number = e.number
WHERE e.kind <> 'spend' AND (m.number IS NULL OR m.amount_minor <> e.amount_minor) ORDER BY e.id
"""
_NEVER_CAME = """
SELECT m.number, m.amount_minor FROM refunds_gatewayrefund m
JOIN orders_paymentshare s ON s.id = m.share_id JOIN orders_payment p ON p.id = s.payment_id
LEFT JOIN refunds_storecreditentry e ON e.number = m.number
WHERE coalesce(nullif(m.target, ''), p.account) = ANY(%b::text[]) AND m.state = 'succeeded' AND e.id IS NULL
ORDER BY m.id
"""


class Holder(NamedTuple):
    """Whose store credit it is, at which shop front: `holder_named` makes it."""

    channel_id: int
    name: str
    by_email: bool


def holder_named(channel_id: int, *, reference: str = "", email: str = "") -> Holder | None:
    """By the shop's reference of the customer exactly as stated, else by his e-mail address in any letters; None:
    nobody could be told of a balance. A reference that looks like an address is none."""
    if reference:
        return Holder(channel_id, reference, by_email=False)
    return Holder(channel_id, email.lower(), by_email=True) if email else None


def holder_of(order: Order) -> Holder | None:
    return holder_named(order.channel_id, reference=order.customer_reference, email=order.customer_email)


def accounts_of(holder: Holder) -> QuerySet[StoreCreditAccount]:
    """His accounts, one per currency."""
    return StoreCreditAccount.objects.filter(channel_id=holder.channel_id, holder=holder.name, by_email=holder.by_email)


def balances(holder: Holder) -> list[StoreCreditAccount]:
    return list(accounts_of(holder).order_by("currency"))


def credit_of(order: Order) -> list[StoreCreditAccount]:
    """What the customer of the order has, where it is more than nothing."""
    holder = holder_of(order)
    return [account for account in balances(holder) if account.balance_minor] if holder else []


def entries_of(accounts: Collection[StoreCreditAccount], *, limit: int) -> list[StoreCreditEntry]:
    """What came and went, newest first, with the accounts."""
    found = StoreCreditEntry.objects.filter(account__in=[account.pk for account in accounts])
    return list(found.select_related("account").order_by("-id")[:limit])


def entries_since(since: datetime, after_id: int, *, limit: int) -> list[StoreCreditEntry]:
    """Given since then, oldest first, from the one after this id on."""
    given = StoreCreditEntry.objects.exclude(kind="spend").filter(occurred_at__gte=since, id__gt=after_id)
    return list(given.select_related("account").order_by("id")[:limit])


def entry_under(number: str) -> StoreCreditEntry | None:
    return StoreCreditEntry.objects.select_related("account").filter(number=number).first()


def spends_under(numbers: Collection[str]) -> dict[str, StoreCreditEntry]:
    """What was paid with under these numbers, with the accounts."""
    found = StoreCreditEntry.objects.filter(kind="spend", number__in=numbers).select_related("account")
    return {entry.number: entry for entry in found} if numbers else {}


def counts() -> tuple[int, int]:
    """How many accounts there are, and entries in them."""
    return StoreCreditAccount.objects.count(), StoreCreditEntry.objects.count()


def discrepancies(accounts: Collection[str]) -> list[str]:
    """What does not add up, in words: balances, and movements whose credit is not what they moved. Empty: all of it
    does. `accounts` are the gateway accounts that store credit is behind."""
    wrong = [
        f"{slug}/{holder}: the balance is {balance} {currency}, its entries add up to {booked}"
        for slug, holder, currency, balance, booked in execute(_WRONG).fetchall()
    ]
    odd = [
        f"{number}: {amount} were given, "
        + ("no movement has this number" if unknown else "its movement has another amount")
        for number, amount, unknown in execute(_ODD).fetchall()
    ]
    never = execute(_NEVER_CAME, [list(accounts)]).fetchall()
    return wrong + odd + [f"{number}: {amount} were told to have been given, and were not" for number, amount in never]
