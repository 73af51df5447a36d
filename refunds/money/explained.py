"""The entries of a sheet: each says what it is for, and together they are its total."""

from collections.abc import Iterator, Sequence

from refunds.money.case import Case
from refunds.money.drawn import Entry, EntryKind, LineShare
from refunds.money.giving import Given
from refunds.money.keeping import Kept
from refunds.money.left import less, shipping_left, total
from refunds.money.price import Price
from refunds.money.shares import allocate, part_of
from refunds.money.types import LineMoney


def entries(case: Case, gives: Given, keeps: Kept) -> tuple[Entry, ...]:
    """In the order of the lines; then shipping, what was asked for by amount, and what is taken off."""
    found = [
        entry
        for line, price in case.lines
        if line.line_id in gives.units
        for entry in _line(case, line, price, gives.units[line.line_id])
    ]
    others = [*_shipping(case, gives.freight), *_asked(case, gives), *_taken_off(keeps)]
    return (*found, *(entry for entry in others if entry.amount_minor))


def _line(case: Case, line: LineMoney, price: Price, worth: LineShare) -> list[Entry]:
    """The line at list price, each discount's share, what it was adjusted by before, tax on top: exactly its worth.

    The list price is that of these units unless they get more than it, by what earlier rounding left to them.
    """
    quantity = case.ask.units[line.line_id]
    on_top = 0 if case.order.prices_include_tax else worth.tax_minor
    goods = worth.amount_minor - on_top
    lowers = any(price.discounts) or line.adjusted_minor
    at_list = max(_of_these(line, line.list_minor, quantity), goods) if lowers else goods
    discounted = _of_these(line, sum(price.discounts), quantity)
    adjusted = max(0, at_list - goods - discounted) if line.adjusted_minor else 0
    off = allocate(at_list - goods - adjusted, price.discounts)
    lowered = [
        Entry(EntryKind.DISCOUNT, discount.label, -minor, line.line_id)
        for discount, minor in zip(case.order.discounts, off, strict=True)
    ]
    lowered.append(Entry(EntryKind.ADJUSTMENT, line.name, -adjusted, line.line_id))
    lowered.append(Entry(EntryKind.TAX, "Tax", on_top, line.line_id))
    head = Entry(EntryKind.LINE, line.name, at_list, line.line_id, quantity)
    return [head, *(entry for entry in lowered if entry.amount_minor)]


def _of_these(line: LineMoney, minor: int, quantity: int) -> int:
    """What so many more units have of an amount of the line."""
    before = part_of(minor, line.refunded_units, of=line.quantity)
    return part_of(minor, line.refunded_units + quantity, of=line.quantity) - before


def _shipping(case: Case, freight: LineShare) -> Iterator[Entry]:
    """All that is left of it, and the supplement that stays with the shop off that."""
    if not freight.amount_minor:
        return
    left = shipping_left(case.order)
    on_top = 0 if case.order.prices_include_tax else left.tax_minor
    yield Entry(EntryKind.SHIPPING, "Shipping", left.amount_minor - on_top)
    yield Entry(EntryKind.SHIPPING_TAX, "Tax on shipping", on_top)
    yield Entry(EntryKind.SUPPLEMENT, "Express delivery", -less(left, freight).amount_minor)


def _asked(case: Case, gives: Given) -> Iterator[Entry]:
    names = {line.line_id: line.name for line in case.order.lines}
    for line_id, off in gives.adjusted.items():
        yield Entry(EntryKind.ADJUSTMENT, names[line_id], off.amount_minor, line_id)
    yield Entry(EntryKind.AMOUNT, "Amount", total([*gives.spread.values(), gives.extra]).amount_minor)
    yield Entry(EntryKind.OVERPAID, "Paid too much", gives.overpaid_minor)


def _taken_off(keeps: Kept) -> Iterator[Entry]:
    reasons = keeps.withheld.reasons
    yield Entry(EntryKind.CLAW_BACK, _named(reasons.coupons), -keeps.withheld.coupons_minor)
    yield Entry(EntryKind.GIFT, _named(reasons.gifts), -keeps.withheld.gifts_minor)
    yield Entry(EntryKind.DEPOSIT, "Deposit", -keeps.deposit_minor)
    yield Entry(EntryKind.RESTOCKING, "Restocking", -keeps.restocking_minor)
    yield Entry(EntryKind.RETURN_SHIPPING, "Return shipping", -keeps.return_shipping_minor)


def _named(names: Sequence[str]) -> str:
    return ", ".join(names)
