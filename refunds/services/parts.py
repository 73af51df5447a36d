"""What a wish would come to: which units, one part per route, each with its sheet and what each payment gives."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

from orders.errors import Conflict, FieldError, Invalid, Problem
from orders.models import OrderLine
from orders.services.lines import named_lines
from refunds.cuts import Cut
from refunds.money import (
    Ask,
    Case,
    LineShare,
    OrderMoney,
    Sheet,
    SoldAsSet,
    Terms,
    capped,
    check_sets,
)
from refunds.routed import Wanted, by_line, routed
from refunds.routing import NotEnoughUnits, UnitsAt, take
from refunds.services.exact import exact_sheet, refuse_other_currency
from refunds.services.payers import payers
from refunds.services.rows import order_money
from refunds.services.taking_back import refusals, taken_back
from refunds.services.wishes import LeftOut, LineWish, Part, RefundWish, Stock
from refunds.states import Goods, Initiator, Place, Route
from refunds.terms import Circumstances, terms


def plan_parts(wish: RefundWish, stock: Stock) -> list[Part]:
    """The parts of the wish, the nearest first whatever the order of the lines. Raises Invalid (422) or Conflict (409);
    changes nothing. Shipping goes with the part that completes the order, or that is asked for, so with the last.

    An order for which no payment was ever stated has nothing to give back, and can be cancelled while it has not left.
    """
    refuse_other_currency(wish, stock)
    money = order_money(stock.order, stock.lines, shares=stock.shares, refunds=stock.refunds)
    if not wish.has_units:
        worth = exact_sheet(wish, stock, money, _terms(wish, stock, Route.REFUND_ONLY))
        return _with_payers([(Route.REFUND_ONLY, (), worth)], stock)
    wanted = Wanted(_units(wish, stock), wish.goods, wish.shipping)
    _refuse_split_sets(wish, stock, money, wanted)
    uncharged = wish.only_unshipped and not stock.shares
    drawn = [
        (one.way, one.units, capped(one.worth, 0, Cut.NOT_CHARGED) if uncharged else one.worth)
        for one in routed(Case.of(money, Ask()), wanted, partial(_terms, wish, stock))
    ]
    return _with_payers(drawn, stock)


def left_out(wish: RefundWish, stock: Stock) -> tuple[LeftOut, ...]:
    """The units that a wish for all that is left does not get: those of lines that have none left, and refused ones."""
    free = {units.line_id for units in stock.free}
    if wish.lines is not None:
        return ()
    gone = [line for line in stock.lines if line.quantity and line.line_id not in free]
    left = Case.of(order_money(stock.order, stock.lines), Ask()).goods_left if gone else {}
    refused = Counter[tuple[str, str]]()
    for one in refusals(wish, stock, stock.free).values():
        refused[one.units.line_id, one.why.code] += one.units.quantity
    taken = [LeftOut(line.line_id, why_gone(line, left[line.line_id]), line.quantity) for line in gone]
    return (*taken, *(LeftOut(line_id, code, quantity) for (line_id, code), quantity in refused.items()))


def channel_closing(*, is_gone: bool = False) -> Problem:
    """How a request is refused whose channel is being removed; or is gone: only links to its orders are left then."""
    if is_gone:
        return Conflict("channel_gone", "The shop front of this order is closed for good. Write to customer service.")
    detail = "The shop front of this order is being closed: it takes no new refunds. Write to customer service."
    return Conflict("channel_closing", detail)


def why_gone(line: OrderLine, left: LineShare) -> str:
    """Why none of its units can be asked for; `left` is what no refund has taken of its price."""
    if line.held:
        return "in_refund"
    return "refunded_in_part" if left.amount_minor else "refunded"


def _terms(wish: RefundWish, stock: Stock, way: Route) -> Terms:
    about = Circumstances(
        currency=stock.order.currency,
        reason_code=wish.reason_code,
        route=way,
        goods=wish.goods if wish.has_units else Goods.KEEP,
        shipped=any(line.shipped for line in stock.lines),
        by_shop=wish.initiator is Initiator.MERCHANT,
    )
    return terms(stock.policy, about)


def _refuse_split_sets(wish: RefundWish, stock: Stock, money: OrderMoney, wanted: Wanted) -> None:
    """A set counts as one wherever its units are."""
    try:
        check_sets(money, Ask(units=by_line(wanted.units)), Terms(bundles=stock.policy.bundles))
    except SoldAsSet as error:
        detail = f"Sold as a set: return all {error.units} (lines {', '.join(error.lines)})."
        paths = [one.path for one in wish.lines or () if one.key in error.lines] or ["lines"]
        errors = tuple(FieldError(path, "sold_as_set", detail) for path in paths)
        raise Invalid("sold_as_set", detail, errors=errors, units=error.units, lines=list(error.lines)) from error


def _units(wish: RefundWish, stock: Stock) -> tuple[UnitsAt, ...]:
    if wish.contests:
        return _still_free(wish.contests.units, stock)
    free = [u for u in stock.free if not wish.only_unshipped or u.place is Place.UNSHIPPED]
    refused = refusals(wish, stock, free)
    if wish.lines is None:
        return taken_back(wish, stock, _all_of(free, wish), refused)
    wanted = _wanted(wish.lines, stock.lines)
    try:
        quantities = {line_id: quantity for line_id, (quantity, _) in wanted.items()}
        taken = take(free, quantities, reason_code=wish.reason_code, last=refused)
    except NotEnoughUnits as error:
        path = wanted[error.line_id][1]
        raise _not_enough(error, path, stock) from error
    return taken_back(wish, stock, taken, refused)


def _still_free(wanted: Sequence[UnitsAt], stock: Stock) -> tuple[UnitsAt, ...]:
    free = {(u.line_id, u.shipment_id): u.quantity for u in stock.free}
    if any(u.quantity > free.get((u.line_id, u.shipment_id), 0) for u in wanted):
        raise Conflict("taken_since", "Its units are in another refund by now.")
    return tuple(wanted)


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
    refunds = stock.beside.refunds_with(line)
    figures = {"left": error.left, "held": line.held, "refunded": line.refunded, "refunds": refunds}
    return Conflict(where.code, detail, errors=(where,), **figures)


def _with_payers(drawn: Sequence[tuple[Route, tuple[UnitsAt, ...], Sheet]], stock: Stock) -> list[Part]:
    """The parts with who pays for each: a later one finds what those before it have left."""
    left = {share.id: share.free_minor for share in stock.shares}
    _refuse_short(sum(worth.total_minor for _, _, worth in drawn), sum(left.values()), stock)
    parts = []
    for way, units, worth in drawn:
        shares = payers(worth.total_minor, left, stock.sources)
        for gives in shares:
            left[gives.share_id] -= gives.amount_minor
        parts.append(Part(way, units, worth, shares))
    return parts


def _refuse_short(amount_minor: int, free: int, stock: Stock) -> None:
    """Raise Conflict where all parts together come to more than is free."""
    if amount_minor <= free:
        return
    disputed = sum(share.disputed_minor for share in stock.shares)
    detail = f"The refund comes to {amount_minor}, but only {free} of the captured money is left (minor units)."
    detail += f" {disputed} are disputed." if disputed else ""
    code = "money_not_left" if any(s.captured_minor for s in stock.shares) else "not_captured"
    raise Conflict(code, detail, left_minor=free, amount_minor=amount_minor, currency=stock.order.currency)
