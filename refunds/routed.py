"""Units asked for in several places: a part for each route, drawn up on what the parts before it leave. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from refunds.money import Ask, Case, Sheet, Terms, sheet_of
from refunds.routing import NEAREST_ROUTE_FIRST, UnitsAt, route
from refunds.states import Goods, Route


@dataclass(frozen=True, slots=True)
class Routed:
    way: Route
    units: tuple[UnitsAt, ...]
    worth: Sheet


@dataclass(frozen=True, slots=True)
class Wanted:
    """Units, with their shipping as in `Ask.shipping`, and what becomes of the goods."""

    units: tuple[UnitsAt, ...]
    goods: Goods
    shipping: bool | None = None


def routed(case: Case, wanted: Wanted, terms_at: Callable[[Route], Terms]) -> Iterator[Routed]:
    """The nearest first whatever the order of the units. Shipping that is asked for goes with the last."""
    by_route: dict[Route, list[UnitsAt]] = {}
    for at in wanted.units:
        by_route.setdefault(route(at, wanted.goods), []).append(at)
    for way in sorted(by_route, key=NEAREST_ROUTE_FIRST.index):
        taken = by_route.pop(way)
        units = by_line(taken)
        shipping = False if wanted.shipping and by_route else wanted.shipping
        worth = sheet_of(case.asking(Ask(units=units, shipping=shipping), terms_at(way)))
        yield Routed(way, tuple(taken), worth)
        if by_route:
            case = case.after(units, worth)


def by_line(units: Iterable[UnitsAt]) -> Counter[str]:
    wanted = Counter[str]()
    for at in units:
        wanted[at.line_id] += at.quantity
    return wanted
