"""The refund sheet: one pure function from an order and the wanted units to explained entries.

Exact over any sequence: a refund gets what all units taken so far are worth together, less what live and ended
refunds took. It is not the difference of two such sums, since a refund in between may have been cancelled.
"""

from collections.abc import Mapping

from refunds.money.asked import NO_DEDUCTION, Ask, Terms
from refunds.money.drawn import NOTHING, Entry, EntryKind, LineShare, Sheet
from refunds.money.price import Price, prices, shipping
from refunds.money.shares import allocate, part_of
from refunds.money.types import LineMoney, OrderMoney, whole


def sheet(order: OrderMoney, ask: Ask, terms: Terms = NO_DEDUCTION) -> Sheet:
    """What a refund of what is asked is worth, and why.

    Shipping comes back with the units that complete the order. ValueError when a line is unknown, a quantity
    negative, or more than is left.
    """
    units = ask.units
    _check_units(order, units)
    entries: list[Entry] = []
    shares: dict[str, LineShare] = {}
    for line, price in zip(order.lines, prices(order), strict=True):
        if quantity := units.get(line.line_id, 0):
            worth = share(line, price.paid, quantity)
            shares[line.line_id] = worth
            entries += _line_entries(order, line, price, quantity=quantity, worth=worth)
    freight = shipping_left(order) if shares and _completes(order, units) else NOTHING
    entries += _shipping_entries(order, freight)
    return Sheet(
        entries=tuple(entries),
        lines=shares,
        shipping_minor=freight.amount_minor,
        shipping_tax_minor=freight.tax_minor,
        total_minor=sum(share.amount_minor for share in shares.values()) + freight.amount_minor,
        tax_minor=sum(share.tax_minor for share in shares.values()) + freight.tax_minor,
        asked=ask,
    )


def capped(worth: Sheet, limit_minor: int, label: str) -> Sheet:
    """The sheet worth no more than this, in minor units, with an entry that says why; what its lines and the shipping
    lose is in proportion. What is not given now stays due on the lines: a later refund of them may give it.
    """
    over = worth.total_minor - whole(limit_minor, "limit_minor")
    if over <= 0:
        return worth
    freight = LineShare(worth.shipping_minor, worth.shipping_tax_minor)
    full = [*worth.lines.values(), freight]
    parts = allocate(limit_minor, [one.amount_minor for one in full])
    *lines, freight = (_lowered(one, part) for one, part in zip(full, parts, strict=True))
    return Sheet(
        entries=(*worth.entries, Entry(EntryKind.LIMIT, label, -over)),
        lines=dict(zip(worth.lines, lines, strict=True)),
        shipping_minor=freight.amount_minor,
        shipping_tax_minor=freight.tax_minor,
        total_minor=limit_minor,
        tax_minor=sum(one.tax_minor for one in (*lines, freight)),
    )


def _lowered(full: LineShare, amount_minor: int) -> LineShare:
    if not full.amount_minor:
        return full
    return LineShare(amount_minor, part_of(full.tax_minor, amount_minor, of=full.amount_minor))


def _check_units(order: OrderMoney, units: Mapping[str, int]) -> None:
    left = {line.line_id: line.left_units for line in order.lines}
    for line_id, quantity in units.items():
        if line_id not in left:
            raise ValueError(f"the order has no line {line_id}")
        if whole(quantity, f"quantity of line {line_id}") > left[line_id]:
            raise ValueError(f"line {line_id}: {quantity} wanted, {left[line_id]} left")


def share(line: LineMoney, paid: LineShare, quantity: int) -> LineShare:
    """The worth of so many more units. The tax waits where rounding would have it come before the amount it is of;
    what is not tax never runs ahead, so the last refund still ends both exactly.
    """
    taken = line.refunded_units + quantity
    amount = max(0, part_of(paid.amount_minor, taken, of=line.quantity) - line.refunded_minor)
    tax = max(0, part_of(paid.tax_minor, taken, of=line.quantity) - line.refunded_tax_minor)
    return LineShare(amount, min(tax, amount))


def _line_entries(order: OrderMoney, line: LineMoney, price: Price, *, quantity: int, worth: LineShare) -> list[Entry]:
    """The line at list price, each discount's share, tax on top: exactly the amount together.

    The list price is that of these units unless they get more than it, by what earlier rounding left to them.
    """
    on_top = 0 if order.prices_include_tax else worth.tax_minor
    goods = worth.amount_minor - on_top
    before = part_of(line.list_minor, line.refunded_units, of=line.quantity)
    at_list = part_of(line.list_minor, line.refunded_units + quantity, of=line.quantity) - before
    at_list = max(at_list, goods) if any(price.discounts) else goods
    off = allocate(at_list - goods, price.discounts)
    entries = [Entry(EntryKind.LINE, line.name, at_list, line.line_id, quantity)]
    for discount, minor in zip(order.discounts, off, strict=True):
        if minor:
            entries.append(Entry(EntryKind.DISCOUNT, discount.label, -minor, line.line_id))
    return [*entries, Entry(EntryKind.TAX, "Tax", on_top, line.line_id)] if on_top else entries


def _completes(order: OrderMoney, units: Mapping[str, int]) -> bool:
    return all(units.get(line.line_id, 0) == line.left_units for line in order.lines)


def shipping_left(order: OrderMoney) -> LineShare:
    """What of the shipping has not come back yet."""
    paid = shipping(order)
    amount = max(0, paid.amount_minor - order.shipping_refunded_minor)
    return LineShare(amount, min(amount, max(0, paid.tax_minor - order.shipping_tax_refunded_minor)))


def _shipping_entries(order: OrderMoney, freight: LineShare) -> list[Entry]:
    on_top = 0 if order.prices_include_tax else freight.tax_minor
    entries = [
        Entry(EntryKind.SHIPPING, "Shipping", freight.amount_minor - on_top),
        Entry(EntryKind.SHIPPING_TAX, "Tax on shipping", on_top),
    ]
    return [entry for entry in entries if entry.amount_minor]
