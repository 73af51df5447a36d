"""Money asked for without units: off the price of a line, the shipping, a free amount, what was paid too much."""

from collections.abc import Mapping, Sequence

from orders.errors import Conflict, FieldError, Invalid
from orders.models import OrderLine
from orders.services.lines import named_lines
from refunds.money import Ask, MoreThanLeft, OrderMoney, Sheet, Terms, sheet
from refunds.services.wishes import AdjustmentWish, RefundWish, Stock

#: Why there is nothing of what was asked for, by the field that asked.
_NOTHING = {
    "overpaid": ("not_overpaid", "Nothing was captured beyond what the order costs, or it has gone back."),
    "shipping": ("shipping_not_left", "No shipping is left that could be refunded."),
}


def exact_sheet(wish: RefundWish, stock: Stock, money: OrderMoney, terms: Terms) -> Sheet:
    """What is asked for, to the minor unit, and why. Raises Invalid for what the order does not have, and Conflict
    naming what is left where more is asked."""
    adjusted = _adjusted(wish.adjustments, stock.lines)
    ask = Ask(
        adjustments={line_id: minor for line_id, (minor, _) in adjusted.items()},
        amount_minor=wish.amount_minor,
        shipping=wish.shipping,
        overpaid=wish.overpaid,
    )
    try:
        worth = sheet(money, ask, terms)
    except MoreThanLeft as error:
        paths = {line_id: path for line_id, (_, path) in adjusted.items()}
        raise _more_than_left(error, paths, stock) from error
    if not worth.total_minor and (wish.overpaid or wish.shipping):
        field = "overpaid" if wish.overpaid else "shipping"
        code, detail = _NOTHING[field]
        raise Conflict(code, detail, errors=(FieldError(field, code, detail),))
    return worth


def refuse_other_currency(wish: RefundWish, stock: Stock) -> None:
    currency = stock.order.currency
    if wish.currency not in ("", currency):
        detail = f"The order is in {currency}, not in {wish.currency}: amounts are in its minor units."
        raise Invalid.of("currency", "currency_mismatch", detail)


def _adjusted(wishes: Sequence[AdjustmentWish], lines: Sequence[OrderLine]) -> dict[str, tuple[int, str]]:
    """Per line id the amount and the path that named it; the same line twice adds up."""
    found: dict[str, tuple[int, str]] = {}
    named = named_lines(lines, [wish.key for wish in wishes], paths=[wish.path for wish in wishes])
    for wish, line in zip(wishes, named, strict=True):
        found[line.line_id] = (found.get(line.line_id, (0, ""))[0] + wish.amount_minor, wish.path)
    return found


def _more_than_left(error: MoreThanLeft, paths: Mapping[str, str], stock: Stock) -> Conflict:
    """Whatever was granted before counts, paid out or not."""
    path = f"{paths[error.line_id]}.amount_minor" if error.line_id else "amount_minor"
    of = f" of line {error.line_id}" if error.line_id else ""
    left = min(error.left_minor, sum(share.free_minor for share in stock.shares))
    detail = (
        f"{error.asked_minor} was asked for, {left} is left{of} (minor units): refunds that are not paid yet count."
    )
    where = FieldError(path, "more_than_left", detail)
    figures = {"left_minor": left, "amount_minor": error.asked_minor, "currency": stock.order.currency}
    return Conflict(where.code, detail, errors=(where,), **figures)
