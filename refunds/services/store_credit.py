"""Store credit given, and store credit spent: an entry and the balance it makes, under the account's lock.

The account's row is the lock; nothing else is locked while it is held. A number is given once whatever is sent twice,
and nothing goes below zero, whoever else is spending at the moment.
"""

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import F, Sum

from orders import clock
from orders.errors import Conflict, NotFound
from orders.roles import SYSTEM, Actor
from refunds import records
from refunds.actions import Action, permit
from refunds.models import GatewayRefund, StoreCreditAccount, StoreCreditEntry
from refunds.numbers import spend_number
from refunds.selectors.store_credit import Holder, accounts_of, entry_under, holder_of

_OPEN = ("channel_id", "holder", "by_email", "currency", "balance_minor", "created_at")
_ONCE = " ON CONFLICT (channel_id, holder, by_email, currency) DO NOTHING"


@dataclass(frozen=True, slots=True)
class NotGiven:
    """Why a movement cannot be credited: a word for machines, and one for people."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Spend:
    """So much of his credit is to pay for something; `reference` is the shop's own word for it."""

    holder: Holder
    amount_minor: int
    currency: str
    reference: str = ""


@transaction.atomic
def give(number: str, *, amount_minor: int, currency: str) -> StoreCreditEntry | NotGiven:
    """Credit the movement with this number to the customer of its order, or to where it was spent from; once, for ever.

    The same number again changes nothing and is answered as before.
    """
    if given := entry_under(number):
        return given
    movement = GatewayRefund.objects.select_related("refund__order", "share__payment").filter(number=number).first()
    if movement is None or (movement.amount_minor, movement.currency) != (amount_minor, currency):
        return NotGiven("unknown_movement", "No movement has this number, amount and currency.")
    if not movement.target:
        return _return(movement)
    holder = holder_of(movement.refund.order)
    if holder is None:
        return NotGiven("no_holder", "The order names no customer: neither his reference nor an e-mail address.")
    return _enter(_held(holder, currency).pk, "refund", number=number, amount_minor=amount_minor)


@transaction.atomic
def spend(wish: Spend, *, actor: Actor) -> StoreCreditEntry:
    """Take it off the balance; the entry's number is the reference of the payment it is. Raises NotFound, or Conflict
    where there is less."""
    permit(Action.SPEND_CREDIT, actor)
    account = accounts_of(wish.holder).select_for_update(no_key=True).filter(currency=wish.currency).first()
    if account is None:
        raise NotFound("no_store_credit", f"This customer has no store credit in {wish.currency}.")
    if account.balance_minor < wish.amount_minor:
        detail = (
            f"{wish.amount_minor} were to be spent, {account.balance_minor} {wish.currency} are left (minor units)."
        )
        raise Conflict("store_credit_too_low", detail, left_minor=account.balance_minor, asked_minor=wish.amount_minor)
    [entry_id] = records.new_ids(StoreCreditEntry, 1)
    number = spend_number(settings.NUMBER_PREFIX, entry_id)
    entry = StoreCreditEntry(id=entry_id, number=number, reference=wish.reference, actor=actor.reference)
    return _book(entry, account.pk, "spend", -wish.amount_minor)


def _return(movement: GatewayRefund) -> StoreCreditEntry | NotGiven:
    """What was paid with store credit goes back to it, no more than was spent."""
    payment = movement.share.payment
    paid_by = StoreCreditEntry.objects.select_related("account").filter(kind="spend", number=payment.reference).first()
    if paid_by is None or paid_by.account.channel_id != payment.channel_id:
        return NotGiven("unknown_payment", "No store credit was spent under this reference.")
    if paid_by.account.currency != movement.currency:
        return NotGiven("other_currency", f"It was spent in {paid_by.account.currency}.")
    account = StoreCreditAccount.objects.select_for_update(no_key=True).get(pk=paid_by.account_id)
    returned = paid_by.returns.aggregate(sum=Sum("amount_minor"))["sum"] or 0
    if returned + movement.amount_minor > -paid_by.amount_minor:
        return NotGiven("amount_too_large", f"{-paid_by.amount_minor} were spent, {returned} of it have come back.")
    return _enter(account.pk, "return", number=movement.number, amount_minor=movement.amount_minor, spend=paid_by)


def _held(holder: Holder, currency: str) -> StoreCreditAccount:
    """His account, made where there was none, locked."""
    row = [*holder, currency, 0, clock.now()]
    records.insert(StoreCreditAccount, _OPEN, [row], _ONCE)
    return accounts_of(holder).select_for_update(no_key=True).get(currency=currency)


def _enter(
    account_id: int, kind: str, *, number: str, amount_minor: int, spend: StoreCreditEntry | None = None
) -> StoreCreditEntry:
    """Given meanwhile by another attempt: that one. Its lock was ours to wait for."""
    if given := entry_under(number):
        return given
    return _book(StoreCreditEntry(number=number, spend=spend, actor=SYSTEM.reference), account_id, kind, amount_minor)


def _book(entry: StoreCreditEntry, account_id: int, kind: str, amount_minor: int) -> StoreCreditEntry:
    entry.account_id, entry.kind, entry.amount_minor, entry.occurred_at = account_id, kind, amount_minor, clock.now()
    entry.save(force_insert=True)
    StoreCreditAccount.objects.filter(pk=account_id).update(balance_minor=F("balance_minor") + amount_minor)
    entry.account.refresh_from_db()
    return entry
