"""Payments with store credit: its ledger is ours, so money that was never spent there is no payment.

A spend never changes and is there before it can be stated: reading it needs no lock. That all orders together state no
more of it than its whole is held by the payment's row.
"""

from collections.abc import Iterator

from orders.errors import FieldError
from orders.models import Order
from orders.services.facts import OrderFacts, PaymentFact
from orders.services.held import HeldOrder
from refunds.models import StoreCreditEntry
from refunds.selectors.credit_accounts import credit_accounts
from refunds.selectors.store_credit import spends_under


def never_spent(facts: OrderFacts, held: HeldOrder) -> Iterator[FieldError]:
    """What of the stated payments no store credit paid for. What is stored already may be stated again."""
    credit = credit_accounts()
    stored = {(share.payment.account, share.payment.reference): share.captured_minor for share in held.shares}
    spends = spends_under([fact.reference for fact in facts.payments if fact.account in credit])
    for i, fact in enumerate(facts.payments):
        is_stored = fact.key in stored and _most(fact)[1] <= stored[fact.key]
        if fact.account in credit and not is_stored:
            yield from _differs(f"payments[{i}]", fact, spends.get(fact.reference), held.order)


def _differs(path: str, fact: PaymentFact, spend: StoreCreditEntry | None, order: Order) -> Iterator[FieldError]:
    name, minor = _most(fact)
    if spend is None or spend.account.channel_id != order.channel_id:
        detail = (
            f"no store credit was spent under {fact.reference}: POST /store-credit/spend gives the payment to state"
        )
        yield FieldError(f"{path}.reference", "store_credit_not_spent", detail)
    elif spend.account.currency != order.currency:
        detail = f"{fact.reference} was spent in {spend.account.currency}, the order is in {order.currency}"
        yield FieldError(f"{path}.currency", "currency_mismatch", detail)
    elif minor > -spend.amount_minor:
        detail = f"is {minor}, but {-spend.amount_minor} of store credit were spent under {fact.reference}"
        yield FieldError(f"{path}.{name}", "more_than_spent", detail)


def _most(fact: PaymentFact) -> tuple[str, int]:
    """The largest amount that is stated of the payment, and its field."""
    amounts = {name: getattr(fact, name) or 0 for name in ("captured_minor", "authorized_minor", "shared_total_minor")}
    return max(amounts.items(), key=lambda item: item[1])
