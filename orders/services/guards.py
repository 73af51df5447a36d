"""What a shop may no longer change: nothing falls below what is shipped, held, reserved or refunded.

What a refund has taken something of goes on counting whole: stated lower it would say twice that money went back, and
the same money would look as if it had been paid too much. Each refusal names both figures.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from orders.errors import Conflict, FieldError
from orders.models import OrderLine, PaymentShare
from orders.services.held import HeldOrder
from refunds.money import OrderMoney
from refunds.money.price import prices, shipping
from refunds.services.rows import order_money

_INSTEAD = "what was refunded goes on counting. Ask for a refund of what else is to go."


@dataclass(frozen=True, slots=True)
class Stood:
    """What an order's lines (by id) counted and cost before it was stated anew, its shipping and discounts (None: they
    may rise). Empty: no refund had taken anything."""

    quantities: Mapping[str, int] = field(default_factory=dict)
    costs_minor: Mapping[str, int] = field(default_factory=dict)
    shipping_minor: int = 0
    discounts_minor: int | None = None


def stood(held: HeldOrder) -> Stood:
    """As stored; nothing where no refund has taken anything, which may change freely."""
    if not _anything_taken(held):
        return Stood()
    money = order_money(held.order, held.lines)
    costs = {line.line_id: price.paid.amount_minor for line, price in zip(held.lines, prices(money), strict=True)}
    quantities = {line.line_id: line.quantity for line in held.lines}
    return Stood(quantities, costs, shipping(money).amount_minor, _off(money))


def refuse_below(held: HeldOrder, before: Stood) -> None:
    for line in held.lines:
        _units_stay(line, before.quantities.get(line.line_id, 0))
    if _anything_taken(held):
        _prices_stay(held, before)


def refuse_other_fulfilment(line: OrderLine, differs: dict[str, Any]) -> None:
    """Units that are shipped or held lie where they lie; their line cannot turn digital."""
    if "fulfilment" in differs and line.pk and (line.shipped or line.held or line.refunded):
        detail = f"Line {line.line_id} has units shipped, held or refunded: it stays {differs['fulfilment']}."
        raise _refusal("fulfilment_fixed", f"lines[{line.position}].fulfilment", detail)


def refuse_capture_below(share: PaymentShare, captured_minor: int, *, path: str) -> None:
    taken = share.taken_minor - share.authorized_minor
    if captured_minor < taken:
        detail = (
            f"Payment {share.payment.reference}: {captured_minor} captured is below {taken}, of which "
            f"{share.reserved_minor} reserved, {share.refunded_minor} refunded, {share.disputed_minor} disputed."
        )
        raise _refusal("below_refunded", path, detail)


def _anything_taken(held: HeldOrder) -> bool:
    return bool(held.order.shipping_refunded_minor) or any(_is_taken_of(line) for line in held.lines)


def _is_taken_of(line: OrderLine) -> bool:
    return bool(line.held or line.refunded or line.refunded_minor or line.adjusted_minor)


def _units_stay(line: OrderLine, before: int) -> None:
    path = f"lines[{line.position}].quantity" if line.quantity else "lines"
    stated = f"Line {line.line_id}: a quantity of {line.quantity} is below {{}}, with"
    counts = f"{line.shipped} shipped, {line.held} held and {line.refunded} refunded"
    least = max(line.shipped + line.withheld, line.held + line.refunded)
    if line.quantity < least:
        raise _refusal("below_taken", path, f"{stated.format(least)} {counts}.")
    if line.quantity < before and line.held + line.refunded:
        raise _refusal("below_taken", path, f"{stated.format(before)} {counts}: {_INSTEAD}")


def _prices_stay(held: HeldOrder, before: Stood) -> None:
    money = order_money(held.order, held.lines)
    for line, price in zip(held.lines, prices(money), strict=True):
        path, name = f"lines[{line.position}]", f"line {line.line_id}"
        given, tax = line.refunded_minor + line.adjusted_minor, line.refunded_tax_minor + line.adjusted_tax_minor
        _stays(path, f"The price of {name} is", price.paid.amount_minor, given)
        _stays(f"{path}.tax_minor", f"The tax of {name} is", price.paid.tax_minor, tax)
        if _is_taken_of(line):
            _goes_on(path, f"The price of {name} is", price.paid.amount_minor, before.costs_minor.get(line.line_id, 0))
    freight = shipping(money)
    _stays("shipping_minor", "Shipping costs", freight.amount_minor, money.shipping_refunded_minor)
    _stays("shipping_tax_minor", "The tax of shipping is", freight.tax_minor, money.shipping_tax_refunded_minor)
    if money.shipping_refunded_minor:
        _goes_on("shipping_minor", "Shipping costs", freight.amount_minor, before.shipping_minor)
    if before.discounts_minor is not None and _off(money) > before.discounts_minor:
        detail = f"Discounts are {_off(money)}, {before.discounts_minor} before"
        raise _refusal("below_refunded", "discounts", f"{detail}: {_INSTEAD}")


def _off(money: OrderMoney) -> int:
    return sum(discount.amount_minor for discount in money.discounts)


def _goes_on(path: str, what: str, stated: int, before: int) -> None:
    if stated < before:
        raise _refusal("below_refunded", path, f"{what} {stated}, {before} before: {_INSTEAD}")


def _stays(path: str, what: str, stated: int, refunded: int) -> None:
    if stated < refunded:
        raise _refusal("below_refunded", path, f"{what} {stated}, but {refunded} of it is refunded or reserved.")


def _refusal(code: str, path: str, detail: str) -> Conflict:
    return Conflict(code, detail, errors=(FieldError(path, code, detail),))
