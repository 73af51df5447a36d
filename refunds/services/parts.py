"""What a wish would come to: which units, one part per route, each with its sheet and what each payment gives."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orders.errors import Conflict, FieldError, Invalid
from orders.models import Order, OrderLine, PaymentShare
from orders.roles import Actor
from orders.services.lines import LineKey, named_lines
from refunds.money import Ask, Sheet, capped, sheet, split
from refunds.routing import NEAREST_ROUTE_FIRST, NotEnoughUnits, UnitsAt, route, take
from refunds.selectors.places import refunds_with
from refunds.services.rows import order_money
from refunds.states import Goods, Place, RefundTo, Route


@dataclass(frozen=True, slots=True)
class LineWish:
    """So many units of the line with this id or sku; `path` is where it stands in the caller's body, for errors."""

    key: LineKey
    quantity: int
    path: str = "lines[0]"


@dataclass(frozen=True, slots=True)
class RefundWish:
    """`lines` None: all that is left. `only_unshipped`: of that, what has not been shipped (an order's cancel).
    `refund_to` None: as the policy has it."""

    channel_id: int
    order_number: str
    actor: Actor
    lines: tuple[LineWish, ...] | None = None
    reason_code: str = ""
    goods: Goods = Goods.RETURN
    note: str = ""
    pickup_address: dict[str, Any] | None = None
    only_unshipped: bool = False
    refund_to: RefundTo | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What one route of a request would be; `shares` are (payment share id, amount in minor units)."""

    route: Route
    units: tuple[UnitsAt, ...]
    sheet: Sheet
    shares: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Stock:
    """An order as a wish finds it: its rows, and the units of it that are free. `target`: the account that its money is
    to go to instead of back to its payments."""

    order: Order
    lines: Sequence[OrderLine]
    shares: Sequence[PaymentShare]
    free: Sequence[UnitsAt]
    target: str = ""


def plan_parts(wish: RefundWish, stock: Stock) -> list[Part]:
    """The parts of the wish, the nearest first whatever the order of the lines. Raises Invalid (422) or Conflict (409);
    changes nothing. Shipping goes with the part that completes the order, so with the last.

    An order for which no payment was ever stated has nothing to give back, and can be cancelled while it has not left.
    """
    by_route: dict[Route, list[UnitsAt]] = {}
    for units in _units(wish, stock):
        by_route.setdefault(route(units, wish.goods), []).append(units)
    money = order_money(stock.order, stock.lines)
    left = {share.id: share.free_minor for share in stock.shares}
    parts = []
    for way in sorted(by_route, key=NEAREST_ROUTE_FIRST.index):
        taken = by_route[way]
        wanted = Counter[str]()
        for units in taken:
            wanted[units.line_id] += units.quantity
        worth = sheet(money, Ask(units=wanted))
        if wish.only_unshipped and not stock.shares:
            worth = capped(worth, 0, "Nothing was charged")
        money = money.after(wanted, worth)
        parts.append(Part(way, tuple(taken), worth, _shares(worth.total_minor, left, stock)))
    return parts


def _units(wish: RefundWish, stock: Stock) -> tuple[UnitsAt, ...]:
    free = [u for u in stock.free if not wish.only_unshipped or u.place is Place.UNSHIPPED]
    if wish.lines is None:
        return _all_of(free, wish)
    wanted = _wanted(wish.lines, stock.lines)
    try:
        return take(
            free, {line_id: quantity for line_id, (quantity, _) in wanted.items()}, reason_code=wish.reason_code
        )
    except NotEnoughUnits as error:
        path = wanted[error.line_id][1]
        raise _not_enough(error, path, stock) from error


def _all_of(free: Sequence[UnitsAt], wish: RefundWish) -> tuple[UnitsAt, ...]:
    if not free:
        what = "unshipped units" if wish.only_unshipped else "units"
        raise Conflict("nothing_left", f"Order {wish.order_number} has no {what} left that could be refunded.")
    return tuple(free)


def _wanted(lines: Sequence[LineWish], order_lines: Sequence[OrderLine]) -> dict[str, tuple[int, str]]:
    """Per line id the quantity and the path that named it; the same line twice adds up."""
    wanted: dict[str, tuple[int, str]] = {}
    named = named_lines(order_lines, [wish.key for wish in lines], paths=[wish.path for wish in lines])
    for wish, line in zip(lines, named, strict=True):
        quantity = wanted.get(line.line_id, (0, ""))[0] + wish.quantity
        if quantity > line.quantity:
            detail = f"Only {line.quantity} of {wish.key} were bought."
            raise Invalid.of(f"{wish.path}.quantity", "more_than_bought", detail, bought=line.quantity)
        wanted[line.line_id] = (quantity, wish.path)
    return wanted


def _not_enough(error: NotEnoughUnits, path: str, stock: Stock) -> Conflict:
    line = next(x for x in stock.lines if x.line_id == error.line_id)
    detail = (
        f"{error.wanted} of {line.line_id} were asked for, {error.left} are left:"
        f" {line.held} are in a running refund, {line.refunded} were refunded."
    )
    where = FieldError(f"{path}.quantity", "units_not_left", detail)
    figures = {"left": error.left, "held": line.held, "refunded": line.refunded, "refunds": refunds_with(line)}
    return Conflict(where.code, detail, errors=(where,), **figures)


def _shares(amount_minor: int, left: dict[int, int], stock: Stock) -> tuple[tuple[int, int], ...]:
    """Who pays; `left` is what each share has still free, and goes down."""
    if amount_minor > sum(left.values()):
        free = sum(left.values())
        detail = f"The refund comes to {amount_minor}, but only {free} of the captured money is left (minor units)."
        code = "money_not_left" if any(s.captured_minor for s in stock.shares) else "not_captured"
        raise Conflict(code, detail, left_minor=free, amount_minor=amount_minor, currency=stock.order.currency)
    given = tuple(split(amount_minor, list(left.items())))
    for share_id, part in given:
        left[share_id] -= part
    return given
