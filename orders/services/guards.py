"""What a shop may no longer change: nothing falls below what is shipped, held, reserved or refunded.

Each refusal names both figures.
"""

from typing import Any

from orders.errors import Conflict, FieldError
from orders.models import OrderLine, PaymentShare
from orders.services.held import HeldOrder
from refunds.money.price import prices, shipping
from refunds.services.rows import order_money


def refuse_below(held: HeldOrder) -> None:
    for line in held.lines:
        _units_stay(line)
    if any(line.refunded_minor or line.adjusted_minor for line in held.lines) or held.order.shipping_refunded_minor:
        _prices_stay(held)


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


def _units_stay(line: OrderLine) -> None:
    least = max(line.shipped + line.withheld, line.held + line.refunded)
    if line.quantity < least:
        detail = (
            f"Line {line.line_id}: a quantity of {line.quantity} is below {least}, "
            f"with {line.shipped} shipped, {line.held} held and {line.refunded} refunded."
        )
        raise _refusal("below_taken", f"lines[{line.position}].quantity" if line.quantity else "lines", detail)


def _prices_stay(held: HeldOrder) -> None:
    money = order_money(held.order, held.lines)
    for line, price in zip(held.lines, prices(money), strict=True):
        path = f"lines[{line.position}]"
        given, tax = line.refunded_minor + line.adjusted_minor, line.refunded_tax_minor + line.adjusted_tax_minor
        _stays(path, f"Line {line.line_id} costs", price.paid.amount_minor, given)
        _stays(f"{path}.tax_minor", f"The tax of line {line.line_id} is", price.paid.tax_minor, tax)
    freight = shipping(money)
    _stays("shipping_minor", "Shipping costs", freight.amount_minor, money.shipping_refunded_minor)
    _stays("shipping_tax_minor", "The tax of shipping is", freight.tax_minor, money.shipping_tax_refunded_minor)


def _stays(path: str, what: str, stated: int, refunded: int) -> None:
    if stated < refunded:
        raise _refusal("below_refunded", path, f"{what} {stated}, but {refunded} of it is refunded or reserved.")


def _refusal(code: str, path: str, detail: str) -> Conflict:
    return Conflict(code, detail, errors=(FieldError(path, code, detail),))
