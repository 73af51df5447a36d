"""The payments of a PUT: each order's share of a payment, and the ledger entry behind every change of it.

A payment is unique at its gateway account, belongs to the channel that stated it first, and may be shared by that
channel's orders; its row is touched after the order's lock, by ascending id, in statements that hold whatever other
orders do meanwhile.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError
from django.db.models import Sum

from orders.errors import Conflict, FieldError
from orders.models import Order, Payment, PaymentShare
from orders.services.before import before_entry, refuse_other_before
from orders.services.credit_spent import never_spent
from orders.services.facts import OrderFacts, PaymentFact, refuse, wrong_currency
from orders.services.guards import refuse_capture_below
from orders.services.held import HeldOrder
from orders.states import OrderState, PaymentMethod
from refunds.incidents import INCIDENT_DUE
from refunds.models import GatewayRefund, Incident, LedgerEntry
from refunds.records import execute, insert, insert_objects, new_ids, update
from refunds.services.excess import follow_excess
from refunds.services.gateways import accounts, limits_of
from refunds.states import MovementKind, MovementState

LATE_MONEY = "money_for_cancelled_order"
_NEW = ("channel_id", "account", "reference", "method", "currency", "total_minor", "allocated_minor")
_FIND = """
SELECT p.id, channel_id, account, reference, method, currency, total_minor, allocated_minor, authorized_minor,
    captured_at
FROM orders_payment p JOIN unnest(%b::text[], %b::text[]) AS x(account, reference) USING (account, reference)
"""
_ALONE = """
UPDATE orders_payment SET method = %s, authorized_minor = %s, captured_at = %s, total_minor = %s, allocated_minor = %s
WHERE id = %s AND allocated_minor = %s
"""
_SHARED = """
UPDATE orders_payment SET method = %s, authorized_minor = %s, captured_at = %s, total_minor = %s,
    allocated_minor = allocated_minor + %s WHERE id = %s
"""


@dataclass(frozen=True, slots=True)
class Stated:
    """A payment as stated beside the share as stored; `index` is its place in the body. `ended_minor`: so much of the
    hold has been ended from here, whatever the shop goes on stating."""

    index: int
    fact: PaymentFact
    share: PaymentShare
    ended_minor: int = 0

    @property
    def change_minor(self) -> int:
        return self.fact.captured_minor - self.share.stated_minor

    @property
    def held_minor(self) -> int:
        """What is held for this order beside what was captured. Of a payment that orders share nobody can tell."""
        if self.fact.shared_total_minor is not None:
            return 0
        if self.fact.authorized_minor is None:
            return max(0, self.share.authorized_minor - max(0, self.change_minor))
        return max(0, self.fact.authorized_minor - self.fact.captured_minor - self.ended_minor)

    def details(self, now: datetime) -> tuple[str, int | None, datetime | None]:
        """What it was paid with, what is authorized, and when it was captured. What is not stated stays: others may
        share the payment.
        """
        fact, payment = self.fact, self.share.payment
        authorized = payment.authorized_minor if fact.authorized_minor is None else fact.authorized_minor
        captured_at = fact.captured_at or payment.captured_at
        method = fact.method.value if fact.method else payment.method
        return method, authorized, captured_at or (now if fact.captured_minor else None)

    def differs(self, now: datetime) -> bool:
        payment = self.share.payment
        other_total = self.fact.shared_total_minor not in (None, payment.total_minor)
        other_details = (payment.method, payment.authorized_minor, payment.captured_at) != self.details(now)
        other_hold = self.held_minor != self.share.authorized_minor
        return not self.share.pk or bool(self.change_minor) or other_total or other_details or other_hold


def put_payments(facts: OrderFacts, held: HeldOrder, *, now: datetime) -> bool:
    """Bring the order's shares to what is stated; whether anything was different."""
    _refuse_missing(facts, held.shares)
    refuse(_unknown_accounts(facts, held))
    refuse(never_spent(facts, held))
    stated = _stated(facts, held)
    for one in stated:
        _refuse_foreign(one, channel_id=held.order.channel_id)
    refuse(
        wrong_currency(one.index, one.fact, one.share.payment.currency, facts.currency)
        for one in stated
        if one.share.payment.currency != facts.currency
    )
    refuse(error for one in stated if (error := _uncountable(one, facts.currency)))
    for one in stated:
        path = f"payments[{one.index}]"
        captured_minor = one.fact.captured_minor + one.share.carried_minor
        refuse_capture_below(one.share, captured_minor, path=f"{path}.captured_minor")
        refuse_other_before(one.share, one.fact, path=f"{path}.refunded_before_minor")
    different = [one for one in sorted(stated, key=lambda one: one.share.payment_id) if one.differs(now)]
    for one in different:
        _allocate(one, now)
    held.ended_holds = _write(different, now)
    return bool(different)


def flag_late_money(held: HeldOrder, *, now: datetime) -> None:
    """Money that comes for an order whose every unit was given up unshipped is for nothing: a case for a person."""
    free_minor = sum(share.free_minor - share.authorized_minor for share in held.shares)
    known = Incident.objects.filter(order=held.order, kind=LATE_MONEY, closed_at=None)
    if held.order.state == OrderState.CANCELLED and free_minor > 0 and not known.exists():
        data = {"free_minor": free_minor, "currency": held.order.currency}
        times = {"opened_at": now, "due_at": now + INCIDENT_DUE}
        Incident.objects.create(order=held.order, kind=LATE_MONEY, data=data, **times)


def _refuse_missing(facts: OrderFacts, shares: Iterable[PaymentShare]) -> None:
    """Money that was captured does not go away by not being mentioned."""
    named = {fact.key for fact in facts.payments}
    for share in shares:
        if share.stated_minor and (share.payment.account, share.payment.reference) not in named:
            detail = f"Payment {share.payment.reference} with {share.stated_minor} captured is missing: state it too."
            raise Conflict("payment_missing", detail, errors=(FieldError("payments", "payment_missing", detail),))


def _unknown_accounts(facts: OrderFacts, held: HeldOrder) -> Iterable[FieldError]:
    """What is stored stays as it is stated, also once its account has left the configuration."""
    stored = {(share.payment.account, share.payment.reference) for share in held.shares}
    known = accounts(held.order.channel_id)
    for i, fact in enumerate(facts.payments):
        if fact.account not in known and fact.key not in stored:
            detail = f"{fact.account} is no gateway account of this installation: {', '.join(known) or 'it has none'}"
            yield FieldError(f"payments[{i}].gateway", "unknown_account", detail)


def _refuse_foreign(one: Stated, *, channel_id: int) -> None:
    """Another shop's money is nobody's to take, and nobody's to hear about: before anything else of it is compared."""
    if one.share.payment.channel_id != channel_id:
        detail = f"Payment {one.fact.reference} is taken: it belongs to another channel."
        code = "payment_of_another_channel"
        raise Conflict(code, detail, errors=(FieldError(f"payments[{one.index}].reference", code, detail),))


def _uncountable(one: Stated, currency: str) -> FieldError | None:
    """A gateway that counts in coarser steps cannot have captured this."""
    step = limits_of(one.fact.account).step_of(currency)
    if one.fact.captured_minor % step == 0:
        return None
    detail = f"{one.fact.account} counts {currency} in steps of {step} (minor units): {one.fact.captured_minor} is none"
    return FieldError(f"payments[{one.index}].captured_minor", "amount_not_countable", detail)


def _stated(facts: OrderFacts, held: HeldOrder) -> list[Stated]:
    """Every stated payment with its share; new shares join the held ones."""
    shares = {(share.payment.account, share.payment.reference): share for share in held.shares}
    for payment in _payments_of([fact for fact in facts.payments if fact.key not in shares], held.order):
        share = PaymentShare(order_id=held.order.pk, payment=payment)
        shares[payment.account, payment.reference] = share
        held.shares.append(share)
    ended = _ended([share.pk for share in held.shares if share.pk and share.payment.authorized_minor])
    return [
        Stated(i, fact, share, ended.get(share.pk, 0))
        for i, (fact, share) in enumerate((fact, shares[fact.key]) for fact in facts.payments)
    ]


def _ended(share_ids: list[int]) -> dict[int, int]:
    """What of the holds on these shares refunds have ended at their gateways, by id."""
    if not share_ids:
        return {}
    ended = GatewayRefund.objects.filter(share_id__in=share_ids, kind=MovementKind.VOID, state=MovementState.SUCCEEDED)
    return dict(ended.values_list("share_id").annotate(Sum("amount_minor")))


def _payments_of(facts: list[PaymentFact], order: Order) -> list[Payment]:
    """The payments, made where there were none. In order of key, so that two orders never wait crosswise."""
    if not facts:
        return []
    keys = sorted(fact.key for fact in facts)
    rows = [(order.channel_id, *key, PaymentMethod.CARD.value, order.currency, 0, 0) for key in keys]
    insert(Payment, _NEW, rows, " ON CONFLICT (account, reference) DO NOTHING")
    found = execute(_FIND, [[account for account, _ in keys], [reference for _, reference in keys]])
    return [Payment(*row) for row in found.fetchall()]


def _allocate(one: Stated, now: datetime) -> None:
    """Take the share out of the payment's total, which no orders together exceed (a CHECK holds it)."""
    fact, share = one.fact, one.share
    details = one.details(now)
    if fact.shared_total_minor is None:
        captured = [fact.captured_minor, fact.captured_minor]
        if not execute(_ALONE, [*details, *captured, share.payment_id, share.stated_minor]).rowcount:
            raise _payment_conflict("payment_shared", fact, "other orders share it: send shared_total_minor")
        return
    try:
        execute(_SHARED, [*details, fact.shared_total_minor, one.change_minor, share.payment_id])
    except IntegrityError as error:
        what = f"its orders together claim more than {fact.shared_total_minor}, the whole of it"
        raise _payment_conflict("payment_overallocated", fact, what) from error


def _payment_conflict(code: str, fact: PaymentFact, what: str) -> Conflict:
    detail = f"Payment {fact.reference}: {what}."
    return Conflict(code, detail, errors=(FieldError("payments", code, detail),))


def _write(different: list[Stated], now: datetime) -> dict[int, int]:
    """The shares as stated, and an entry for each change of what was captured or is held. What is held by now where a
    hold has ended that refunds have reserved."""
    new = [one.share for one in different if not one.share.pk]
    old = [one.share for one in different if one.share.pk]
    for share, new_id in zip(new, new_ids(PaymentShare, len(new)), strict=True):
        share.pk = new_id
    entries = [_entry(one, now) for one in different if one.change_minor]
    held = {one.share.pk: one.held_minor for one in different}
    for one in different:
        one.share.captured_minor = one.fact.captured_minor + one.share.carried_minor
    for one in different:
        if entry := _hold(one.share, held[one.share.pk], now):
            entries.append(entry)
    for one in different:
        if one.share in new and one.fact.refunded_before_minor:
            one.share.before_minor = one.share.refunded_minor = one.fact.refunded_before_minor
            entries.append(before_entry(one.share, one.details(now)[-1] or now, now))
    entries += [_end_excess(one.share, now) for one in different if one.share.excess_minor and one.share.room_minor]
    insert_objects(new)
    update(PaymentShare, ("captured_minor", "excess_minor", "authorized_minor"), old)
    insert_objects(entries)
    return {share.pk: held[share.pk] for share in old if share.authorized_minor > held[share.pk]}


def _entry(one: Stated, now: datetime) -> LedgerEntry:
    """A correction downwards is a counter-entry."""
    rises = one.change_minor > 0
    return LedgerEntry(
        share_id=one.share.pk,
        kind="capture" if rises else "correction",
        amount_minor=abs(one.change_minor),
        occurred_at=(rises and one.details(now)[-1]) or now,
        recorded_at=now,
    )


def _hold(share: PaymentShare, held_minor: int, now: datetime) -> LedgerEntry | None:
    """The hold as stated, as far as no refund has reserved what it covers: `services.authorisations` follows."""
    before_minor = share.authorized_minor
    share.authorized_minor = max(held_minor, min(before_minor, share.taken_minor - share.captured_minor))
    change = share.authorized_minor - before_minor
    if not change:
        return None
    kind = "authorize" if change > 0 else "authorize_ended"
    return LedgerEntry(share_id=share.pk, kind=kind, amount_minor=abs(change), occurred_at=now, recorded_at=now)


def _end_excess(share: PaymentShare, now: datetime) -> LedgerEntry:
    """What was captured after all covers first what was refunded beyond it; only the rest is free."""
    before_minor, ended = share.excess_minor, min(share.room_minor, share.excess_minor)
    share.excess_minor -= ended
    follow_excess(share, before_minor=before_minor, now=now)
    return LedgerEntry(share_id=share.pk, kind="excess_ended", amount_minor=ended, occurred_at=now, recorded_at=now)
