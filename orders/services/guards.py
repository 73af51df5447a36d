"""What a shop may no longer change: nothing falls below what is shipped, held, reserved or refunded.

What a refund has taken something of goes on counting whole: stated lower than it was then, it would say twice that
money went back, and the same money would look as if it had been paid too much. Each refusal names both figures.
"""

from collections.abc import Iterator
from typing import Any

from orders.errors import Conflict, FieldError
from orders.models import OrderLine, PaymentShare
from orders.services.facts import OrderFacts
from orders.services.held import HeldOrder
from orders.services.stood import Before, LineStood, Stood, anything_taken, is_taken_of, stands
from refunds.money.drawn import LineShare
from refunds.money.price import prices, shipping
from refunds.services.rows import order_money

_INSTEAD = "what was refunded goes on counting. Ask for a refund of what else is to go."


def refuse_below(facts: OrderFacts, held: HeldOrder, before: Before | None) -> None:
    """`held.lines` are as stated. `before`: None where no refund had taken anything."""
    for line in held.lines:
        _units_stay(line)
    if anything_taken(held):
        _money_stays(held)
    if before is None:
        return
    now = stands(held)
    if _was_never_paid(facts, held, before, now=now):
        return
    falls = [next(_falls(held, now, stood), None) for stood in (before.taken, before.last)]
    if falls[0] and falls[1]:
        raise falls[0]


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


def _was_never_paid(facts: OrderFacts, held: HeldOrder, before: Before, *, now: Stood) -> bool:
    """What stood cost more than there ever was to pay it with, a slip: it may come down to that, where nothing looks
    paid too much. What falls of lines that no refund has touched may be."""
    stated_minor = sum(max(fact.captured_minor, fact.authorized_minor or 0) for fact in facts.payments)
    money_minor = max(before.money_minor, stated_minor)
    last = before.last.lines
    untouched = [line.line_id for line in held.lines if line.line_id in last and not is_taken_of(line)]
    falls = sum(max(0, last[line_id].stated_minor - now.lines[line_id].stated_minor) for line_id in untouched)
    return before.total_minor > money_minor and held.order.total_minor + falls >= money_minor


def _falls(held: HeldOrder, now: Stood, stood: Stood) -> Iterator[Conflict]:
    """What is stated lower than it stood of what refunds have taken something of."""
    for line in held.lines:
        if is_taken_of(line) and line.line_id in stood.lines:
            yield from _line_falls(line, now.lines[line.line_id], stood.lines[line.line_id])
    if held.order.shipping_refunded_minor and now.shipping_minor < stood.shipping_minor:
        yield _fall("shipping_minor", "Shipping costs", now.shipping_minor, stood.shipping_minor)
    if now.discounts_minor > stood.discounts_minor:
        yield _fall("discounts", "Discounts are", now.discounts_minor, stood.discounts_minor)


def _line_falls(line: OrderLine, now: LineStood, stood: LineStood) -> Iterator[Conflict]:
    path = f"lines[{line.position}]"
    if line.quantity < stood.quantity and line.held + line.refunded:
        yield _too_few(line, stood.quantity, f": {_INSTEAD}")
    if now.list_minor < stood.list_minor:
        yield _fall(path, f"The price of line {line.line_id} is", now.list_minor, stood.list_minor)
    if now.tax_on_top_minor < (least := _least_tax(now, stood)):
        yield _fall(f"{path}.tax_minor", f"The tax of line {line.line_id} is", now.tax_on_top_minor, least)


def _least_tax(now: LineStood, stood: LineStood) -> int:
    """Tax on top follows the price after discounts, which may take more off a line when others go."""
    if not stood.goods_minor:
        return stood.tax_on_top_minor
    return stood.tax_on_top_minor * min(now.goods_minor, stood.goods_minor) // stood.goods_minor


def _units_stay(line: OrderLine) -> None:
    least = max(line.shipped + line.withheld, line.held + line.refunded)
    if line.quantity < least:
        raise _too_few(line, least, ".")


def _too_few(line: OrderLine, least: int, end: str) -> Conflict:
    path = f"lines[{line.position}].quantity" if line.quantity else "lines"
    counts = f"{line.shipped} shipped, {line.held} held and {line.refunded} refunded"
    detail = f"Line {line.line_id}: a quantity of {line.quantity} is below {least}, with {counts}{end}"
    return _refusal("below_taken", path, detail)


def _money_stays(held: HeldOrder) -> None:
    money = order_money(held.order, held.lines)
    for line, price in zip(held.lines, prices(money), strict=True):
        _line_money_stays(line, price.paid, discounted_minor=sum(price.discounts))
    freight = shipping(money)
    _stays("shipping_minor", "Shipping costs", freight.amount_minor, money.shipping_refunded_minor)
    _stays("shipping_tax_minor", "The tax of shipping is", freight.tax_minor, money.shipping_tax_refunded_minor)


def _line_money_stays(line: OrderLine, paid: LineShare, *, discounted_minor: int) -> None:
    path, name = f"lines[{line.position}]", f"line {line.line_id}"
    given, tax = line.refunded_minor + line.adjusted_minor, line.refunded_tax_minor + line.adjusted_tax_minor
    if paid.amount_minor + discounted_minor >= given:
        what = f"Discounts take {discounted_minor} off {name}, which then costs"
        _stays("discounts", what, paid.amount_minor, given)
    _stays(path, f"The price of {name} is", paid.amount_minor, given)
    _stays(f"{path}.tax_minor", f"The tax of {name} is", paid.tax_minor, tax)


def _fall(path: str, what: str, stated: int, stood: int) -> Conflict:
    return _refusal("below_refunded", path, f"{what} {stated}, {stood} before: {_INSTEAD}")


def _stays(path: str, what: str, stated: int, refunded: int) -> None:
    if stated < refunded:
        raise _refusal("below_refunded", path, f"{what} {stated}, but {refunded} of it is refunded or reserved.")


def _refusal(code: str, path: str, detail: str) -> Conflict:
    return Conflict(code, detail, errors=(FieldError(path, code, detail),))
