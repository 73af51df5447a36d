"""What had come back before an order came here, for shops that migrate with history.

It is stated with the line, the shipping or the payment when that is stated first, and stays as it is from then on: it
is contained in the counters that say how much may still be refunded. Units given back before are taken as never
shipped from here: the shop states parcels of the others.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from orders.errors import Conflict, FieldError
from orders.models import Order, OrderLine, PaymentShare
from orders.services.facts import BeforeFact, OrderFacts, PaymentFact, refuse
from orders.services.held import HeldOrder
from orders.states import OrderRefundState
from refunds.models import LedgerEntry
from refunds.money import LineShare
from refunds.money.price import prices, shipping
from refunds.money.shares import part_of
from refunds.services.rows import is_goods_left, order_money

#: What the ledger calls money that had gone back before.
REFERENCE = "refunded_before"


def put_before(facts: OrderFacts, held: HeldOrder) -> None:
    """Count what had come back into the rows that are new; 409 where another figure is stored, 422 where it is more
    than there is. `held.lines` are as stated, those that are new without an id.
    """
    by_id = held.by_line_id
    stated = [by_id[line.key] for line in facts.lines]
    money = order_money(held.order, stated)
    paid, freight = [price.paid for price in prices(money)], shipping(money)
    refuse(_too_much(facts, paid, freight))
    refuse(_beyond_captured(facts))
    for i, (fact, line, price) in enumerate(zip(facts.lines, stated, paid, strict=True)):
        if fact.refunded_before:
            _put_line(fact.refunded_before, line, price, path=f"lines[{i}].refunded_before")
    _put_shipping(facts.shipping_refunded_before_minor, held.order, freight)


def first_refund_state(facts: OrderFacts, order: Order, lines: Sequence[OrderLine]) -> OrderRefundState:
    """How far an order has come back that is stated for the first time."""
    if not any(line.before_minor for line in lines):
        return OrderRefundState.NONE
    money_left = any(payment.captured_minor > (payment.refunded_before_minor or 0) for payment in facts.payments)
    anything_left = money_left and is_goods_left(order, lines)
    return OrderRefundState.PARTIALLY_REFUNDED if anything_left else OrderRefundState.REFUNDED


def before_entry(share: PaymentShare, occurred_at: datetime, now: datetime) -> LedgerEntry:
    """The ledger's word for what had gone back of a share before it came here."""
    times = {"occurred_at": occurred_at, "recorded_at": now}
    return LedgerEntry(
        share_id=share.pk, kind="external", amount_minor=share.before_minor, reference=REFERENCE, **times
    )


def refuse_other_before(share: PaymentShare, fact: PaymentFact, *, path: str) -> None:
    if share.pk and fact.refunded_before_minor not in (None, share.before_minor):
        raise fixed(path, str(share.before_minor))


def fixed(path: str, stored: str) -> Conflict:
    detail = f"What was refunded before is stored as {stored} and stays: what went back since is a refund."
    return Conflict("refunded_before_fixed", detail, errors=(FieldError(path, "refunded_before_fixed", detail),))


def _too_much(facts: OrderFacts, paid: Sequence[LineShare], freight: LineShare) -> Iterator[FieldError]:
    for i, (line, price) in enumerate(zip(facts.lines, paid, strict=True)):
        before = line.refunded_before
        if before and before.quantity > line.quantity:
            detail = f"is {before.quantity}, of {line.quantity} bought"
            yield FieldError(f"lines[{i}].refunded_before.quantity", "more_than_bought", detail)
        elif before and before.amount_minor > price.amount_minor:
            detail = f"is {before.amount_minor}, the line costs {price.amount_minor}"
            yield FieldError(f"lines[{i}].refunded_before.amount_minor", "more_than_paid", detail)
    if (facts.shipping_refunded_before_minor or 0) > freight.amount_minor:
        detail = f"is {facts.shipping_refunded_before_minor}, shipping costs {freight.amount_minor}"
        yield FieldError("shipping_refunded_before_minor", "more_than_paid", detail)


def _beyond_captured(facts: OrderFacts) -> Iterator[FieldError]:
    """What came back of lines and shipping was paid by the payments, where any are stated: the first that cannot be."""
    captured, back = sum(payment.captured_minor for payment in facts.payments), 0
    stated = [
        (f"lines[{i}].refunded_before.amount_minor", line.refunded_before.amount_minor)
        for i, line in enumerate(facts.lines)
        if line.refunded_before
    ]
    for path, minor in [*stated, ("shipping_refunded_before_minor", facts.shipping_refunded_before_minor or 0)]:
        back += minor
        if facts.payments and minor and back > captured:
            yield FieldError(path, "more_than_captured", f"makes {back} that came back, but {captured} was captured")
            return


def _put_line(before: BeforeFact, line: OrderLine, paid: LineShare, *, path: str) -> None:
    if line.pk is None:
        line.before_units, line.before_minor = before.quantity, before.amount_minor
        line.before_tax_minor = _tax_of(line.before_minor, paid)
        line.refunded = line.withheld = line.refunded_unshipped = line.before_units
        line.refunded_minor, line.refunded_tax_minor = line.before_minor, line.before_tax_minor
    elif (line.before_units, line.before_minor) != (before.quantity, before.amount_minor):
        raise fixed(path, f"{line.before_minor} for {line.before_units} units")


def _put_shipping(stated: int | None, order: Order, paid: LineShare) -> None:
    if order.pk is None:
        order.shipping_before_minor = order.shipping_refunded_minor = stated or 0
        tax_minor = _tax_of(order.shipping_before_minor, paid)
        order.shipping_before_tax_minor = order.shipping_tax_refunded_minor = tax_minor
    elif stated not in (None, order.shipping_before_minor):
        raise fixed("shipping_refunded_before_minor", str(order.shipping_before_minor))


def _tax_of(amount_minor: int, paid: LineShare) -> int:
    """The tax within so much of it, in proportion."""
    return part_of(paid.tax_minor, amount_minor, of=paid.amount_minor) if paid.amount_minor else 0
