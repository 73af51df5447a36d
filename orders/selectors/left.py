"""What no refund has of an order, and what a customer would get for it who sends it back: for no reason, or for the
reasons for which the policy still takes it."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

from orders.selectors.orders import OrderPage
from refunds.money import Ask, Case, LineShare, Sheet, Terms, may_keep, units_within
from refunds.policy import PolicySpec
from refunds.routed import Wanted, routed
from refunds.routing import UnitsAt, route, take
from refunds.selectors.taken_back import Barred, barred_of
from refunds.states import Goods, Route
from refunds.terms import Circumstances, terms


@dataclass(frozen=True, slots=True)
class Limited:
    """Units that are barred but for some reasons, and as many of them as the captured money pays for then, with what
    comes of them without the shipping."""

    barred: Barred
    quantity: int
    amount_minor: int


@dataclass(frozen=True, slots=True)
class Left:
    """Of each line, by its id, where units are `free`, which of these are `open` to who gives no reason, and as many of
    them as the captured money pays for, with what comes of them without the shipping; the others are `limited`, unless
    the channel is closing: then they are neither.
    `prices`: what no refund has taken of its price. `total_minor` and `shipping_minor` are of all that is open, enough
    money or not.
    """

    free: dict[str, list[UnitsAt]]
    open: dict[str, list[UnitsAt]]
    limited: dict[str, tuple[Limited, ...]]
    by_line: dict[str, tuple[int, int]]
    prices: dict[str, LineShare]
    total_minor: int
    shipping_minor: int
    money_minor: int
    captured: bool

    @property
    def short(self) -> bool:
        return self.total_minor > self.money_minor


def left_of(page: OrderPage) -> Left:
    free, case = page.free_units(), Case.of(page.money, Ask())
    asked = {line_id: [] if page.is_closing else units for line_id, units in free.items()}
    barred = {line.line_id: barred_of(asked[line.line_id], line, page.parcels_seen) for line in page.lines}
    shut = {units.spot for found in barred.values() for one in found for units in one.units}
    offer = _Offer(page, {k: [u for u in units if u.spot not in shut] for k, units in asked.items()}, page.policy, case)
    sheets, money_minor = offer.sheets(offer.units), sum(share.free_minor for share in page.shares)
    total_minor = sum(sheet.total_minor for sheet in sheets)
    return Left(
        free,
        offer.free,
        {
            line_id: tuple(_limited(offer, line_id, one, money_minor) for one in found)
            for line_id, found in barred.items()
        },
        offer.by_line(sheets, money_minor, short=total_minor > money_minor),
        offer.case.goods_left,
        total_minor,
        sum(sheet.shipping_minor for sheet in sheets),
        money_minor,
        any(share.captured_minor for share in page.shares),
    )


def _limited(offer: "_Offer", line_id: str, barred: Barred, money_minor: int) -> Limited:
    if not barred.reasons:
        return Limited(barred, sum(units.quantity for units in barred.units), 0)
    alone = replace(offer, free={line_id: list(barred.units)}, reason_code=barred.reasons[0])
    quantity = sum(units.quantity for units in barred.units)
    return Limited(barred, *alone.alone(line_id, quantity, most_minor=money_minor))


@dataclass(frozen=True, slots=True)
class _Offer:
    """The `free` units that are offered to who gives this reason."""

    page: OrderPage
    free: dict[str, list[UnitsAt]]
    policy: PolicySpec
    case: Case
    reason_code: str = ""

    @property
    def units(self) -> list[UnitsAt]:
        return [at for places in self.free.values() for at in places]

    def sheets(self, units: Iterable[UnitsAt], *, shipping: bool | None = None) -> list[Sheet]:
        wanted = Wanted(tuple(units), Goods.RETURN, shipping)
        return [part.worth for part in routed(self.case, wanted, self._terms)]

    def by_line(self, sheets: list[Sheet], money_minor: int, *, short: bool) -> dict[str, tuple[int, int]]:
        """Where nothing can be kept, a line is worth the same alone as with the others."""
        ways = {route(at, Goods.RETURN) for at in self.units}
        units = {line_id: sum(at.quantity for at in places) for line_id, places in self.free.items()}
        if any(may_keep(self.page.money, self._terms(way)) for way in ways):
            found = partial(self.alone, most_minor=money_minor if short else None)
            return {line_id: found(line_id, quantity) for line_id, quantity in units.items()}
        if short:
            return units_within(self.page.money, units, money_minor)
        worth = {line_id: [s.lines[line_id] for s in sheets if line_id in s.lines] for line_id in units}
        return {line_id: (n, sum(one.amount_minor for one in worth[line_id])) for line_id, n in units.items()}

    def alone(self, line_id: str, quantity: int, *, most_minor: int | None) -> tuple[int, int]:
        """As many of these units of the line as so much money pays for, and what comes of them."""
        if most_minor is not None:
            cost = partial(self._comes_to, line_id)
            quantity = bisect_right(range(1, quantity + 1), most_minor, key=cost)
        return quantity, self._comes_to(line_id, quantity, shipping=False)

    def _comes_to(self, line_id: str, quantity: int, *, shipping: bool | None = None) -> int:
        units = take(self.free[line_id], {line_id: quantity}, reason_code=self.reason_code)
        return sum(sheet.total_minor for sheet in self.sheets(units, shipping=shipping))

    def _terms(self, way: Route) -> Terms:
        shipped = any(line.shipped for line in self.page.lines)
        return terms(self.policy, Circumstances(self.page.order.currency, self.reason_code, way, Goods.RETURN, shipped))
