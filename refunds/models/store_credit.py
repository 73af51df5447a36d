"""Store credit: what the shop owes a customer, to be spent there. An account and an append-only ledger of its own."""

from django.db import models
from django.db.models import Q

from orders.models import Channel


class StoreCreditAccount(models.Model):
    """One per channel, customer and currency. `holder` is the shop's reference of the customer, exactly as stated, else
    his e-mail address in small letters (`by_email`): a reference that looks like an address is no address.
    `balance_minor` is the sum of the entries, written with them under the account's lock.
    """

    channel = models.ForeignKey(Channel, on_delete=models.PROTECT, db_index=False)
    holder = models.CharField(max_length=254)
    by_email = models.BooleanField(default=False)
    currency = models.CharField(max_length=3)
    balance_minor = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["channel", "holder", "by_email", "currency"], name="store_credit_account_once"
            ),
            models.CheckConstraint(condition=Q(balance_minor__gte=0), name="store_credit_never_negative"),
        ]


class StoreCreditEntry(models.Model):
    """`amount_minor` is signed. refund: given instead of money. spend: paid with at the shop, which states the entry's
    number as a payment's reference. return: what was spent comes back; `spend` is what it was spent by.

    `number` is the movement's, so that each is given exactly once; a spend has one of its own. `reference` is the
    shop's own word for a spend, such as the order's number. UPDATE and DELETE are refused by a trigger.
    """

    account = models.ForeignKey(StoreCreditAccount, on_delete=models.PROTECT, related_name="entries")
    kind = models.CharField(max_length=8)
    number = models.CharField(max_length=48)
    amount_minor = models.BigIntegerField()
    spend = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="returns")
    reference = models.CharField(max_length=200, default="", blank=True)
    actor = models.CharField(max_length=100)
    occurred_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["number"], name="store_credit_number_once"),
            models.CheckConstraint(
                condition=Q(kind="refund", amount_minor__gt=0, spend=None)
                | Q(kind="return", amount_minor__gt=0, spend__isnull=False)
                | Q(kind="spend", amount_minor__lt=0, spend=None),
                name="store_credit_entry_signed",
            ),
        ]
