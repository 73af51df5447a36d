"""The payments of a PUT: each order's share of a payment, and the ledger entry behind every change of it.

A payment is unique at its gateway account and may be shared; its row is touched after the order's lock, by
ascending id, in statements that hold whatever other orders do meanwhile.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import reduce
from operator import or_

from django.db import IntegrityError
from django.db.models import F, Q

from orders.errors import Conflict, FieldError
from orders.models import Payment, PaymentShare
from orders.services.facts import OrderFacts, PaymentFact, refuse, wrong_currency
from orders.services.guards import refuse_capture_below
from orders.services.held import HeldOrder
from refunds.models import LedgerEntry

Key = tuple[str, str]


def put_payments(facts: OrderFacts, held: HeldOrder, *, now: datetime) -> bool:
    """Bring the order's shares to what is stated; whether anything was different."""
    shares = {(s.payment.account, s.payment.reference): s for s in held.shares}
    _refuse_missing(facts, held.shares)
    payments = {key: share.payment for key, share in shares.items()}
    payments |= _payments_of([p for p in facts.payments if p.key not in shares], facts.currency)
    refuse(
        wrong_currency(i, fact, payments[fact.key].currency, facts.currency)
        for i, fact in enumerate(facts.payments)
        if payments[fact.key].currency != facts.currency
    )
    changed = False
    for i, fact in sorted(enumerate(facts.payments), key=lambda one: payments[one[1].key].pk):
        share = shares.get(fact.key) or PaymentShare(order=held.order, payment=payments[fact.key])
        refuse_capture_below(share, fact.captured_minor, path=f"payments[{i}].captured_minor")
        changed |= _put_payment(share, fact, now=now)
    held.shares = list(PaymentShare.objects.filter(order=held.order).order_by("id")) if changed else held.shares
    return changed


def _refuse_missing(facts: OrderFacts, shares: Iterable[PaymentShare]) -> None:
    """Money that was captured does not go away by not being mentioned."""
    named = {fact.key for fact in facts.payments}
    for share in shares:
        if share.captured_minor and (share.payment.account, share.payment.reference) not in named:
            detail = f"Payment {share.payment.reference} with {share.captured_minor} captured is missing: state it too."
            raise Conflict("payment_missing", detail, errors=(FieldError("payments", "payment_missing", detail),))


def _payments_of(facts: list[PaymentFact], currency: str) -> dict[Key, Payment]:
    """The payments by key, made where there were none. In order of key, so that two orders never wait crosswise."""
    if not facts:
        return {}
    new = [
        Payment(account=fact.account, reference=fact.reference, currency=currency, total_minor=0)
        for fact in sorted(facts, key=lambda fact: fact.key)
    ]
    Payment.objects.bulk_create(new, ignore_conflicts=True)
    wanted = reduce(or_, (Q(account=fact.account, reference=fact.reference) for fact in facts))
    return {(payment.account, payment.reference): payment for payment in Payment.objects.filter(wanted)}


def _put_payment(share: PaymentShare, fact: PaymentFact, *, now: datetime) -> bool:
    """One share as stated; whether anything was different."""
    payment, change = share.payment, fact.captured_minor - share.captured_minor
    captured_at = fact.captured_at or payment.captured_at or (now if fact.captured_minor else None)
    details = {"authorized_minor": fact.authorized_minor, "captured_at": captured_at}
    differs = any(getattr(payment, column) != value for column, value in details.items())
    if share.pk and not (change or differs or fact.shared_total_minor not in (None, payment.total_minor)):
        return False
    _allocate(share, fact, details)
    share.captured_minor = fact.captured_minor
    share.save()
    if change:
        _book(share, change, captured_at=captured_at or now, now=now)
    return True


def _allocate(share: PaymentShare, fact: PaymentFact, details: dict[str, int | datetime | None]) -> None:
    """Take the share out of the payment's total, which no orders together exceed (a CHECK holds it)."""
    payment = Payment.objects.filter(pk=share.payment_id)
    if fact.shared_total_minor is None:
        alone = payment.filter(allocated_minor=share.captured_minor)
        total = {"total_minor": fact.captured_minor, "allocated_minor": fact.captured_minor}
        if not alone.update(**total, **details):
            raise _payment_conflict("payment_shared", fact, "other orders share it: send shared_total_minor")
        return
    allocated = F("allocated_minor") + fact.captured_minor - share.captured_minor
    try:
        payment.update(total_minor=fact.shared_total_minor, allocated_minor=allocated, **details)
    except IntegrityError as error:
        what = f"its orders together claim more than {fact.shared_total_minor}, the whole of it"
        raise _payment_conflict("payment_overallocated", fact, what) from error


def _payment_conflict(code: str, fact: PaymentFact, what: str) -> Conflict:
    detail = f"Payment {fact.reference}: {what}."
    return Conflict(code, detail, errors=(FieldError("payments", code, detail),))


def _book(share: PaymentShare, change: int, *, captured_at: datetime, now: datetime) -> None:
    """A correction downwards is a counter-entry."""
    LedgerEntry.objects.create(
        share=share,
        kind="capture" if change > 0 else "void",
        amount_minor=abs(change),
        occurred_at=captured_at if change > 0 else now,
        recorded_at=now,
    )
