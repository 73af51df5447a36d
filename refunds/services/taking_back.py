"""A customer's wish is bound by what the policy takes back; the shop's own people may be more generous."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orders.errors import Conflict, FieldError
from orders.models import OrderLine
from orders.roles import Role
from orders.services.lines import is_named
from refunds.returnable import Refusal
from refunds.routing import Spot, UnitsAt, route
from refunds.selectors.taken_back import Parcels, barred_detail, excuses_of, has_arrived, parcels_of, refusal_of
from refunds.services.wishes import RefundWish, Stock
from refunds.states import Initiator
from refunds.terms import Circumstances, Fault, fault

#: Who asks for the customer, and not out of goodwill.
BOUND = (Role.CUSTOMER, Role.SHOP)


@dataclass(frozen=True, slots=True)
class Refused:
    """Units that the policy does not take back from a wish, and why; `reasons`: those for which it would."""

    units: UnitsAt
    why: Refusal
    reasons: tuple[str, ...]

    @property
    def unless_faulty(self) -> bool:
        return bool(self.reasons) and has_arrived(self.units)


def taken_back(
    wish: RefundWish, stock: Stock, units: Sequence[UnitsAt], refused: Mapping[Spot, Refused]
) -> tuple[UnitsAt, ...]:
    """The units that the policy takes back. Of a wish for all that is left, what is `refused` is left out. Raises
    Conflict (`excluded`, `window_over`) for lines that were named, or where nothing is left."""
    kept = tuple(u for u in units if u.spot not in refused)
    if len(kept) == len(units) or (wish.lines is None and kept):
        return kept
    raise _refused(wish, stock, [refused[u.spot] for u in units if u.spot in refused])


def refusals(wish: RefundWish, stock: Stock, units: Sequence[UnitsAt]) -> dict[Spot, Refused]:
    """Which of these units the policy does not take back from this wish, and why."""
    policy = stock.policy
    is_bound = wish.actor.role in BOUND and wish.initiator is Initiator.CUSTOMER and not wish.contests
    if not is_bound or not (policy.exclusions or policy.window_days is not None):
        return {}
    lines, parcels = {line.line_id: line for line in stock.lines}, _parcels(stock)
    found = {}
    for at in units:
        own, line = _is_his_own(wish, stock, at), lines[at.line_id]
        if why := refusal_of(at, line, parcels, by_customer=own):
            found[at.spot] = Refused(at, why, excuses_of(at, line, parcels))
    return found


def _parcels(stock: Stock) -> Parcels:
    if stock.policy.window_days is None:
        return Parcels(stock.policy, stock.now, {})
    return parcels_of(stock.beside.parcels_of(stock.order), stock.lines, stock.policy, stock.now)


def _is_his_own(wish: RefundWish, stock: Stock, units: UnitsAt) -> bool:
    about = Circumstances(
        currency=stock.order.currency,
        reason_code=wish.reason_code,
        route=route(units, wish.goods),
        goods=wish.goods,
        shipped=any(line.shipped for line in stock.lines),
    )
    return fault(stock.policy, about) is Fault.CUSTOMER


def _refused(wish: RefundWish, stock: Stock, refused: Sequence[Refused]) -> Conflict:
    """Each line once, with the first reason; the problem has that of the first line."""
    by_line = {one.units.line_id: one for one in reversed(refused)}
    found = [(line, by_line[line.line_id]) for line in stock.lines if line.line_id in by_line]
    errors = tuple(FieldError(_path(wish, line), one.why.code, _detail(one)) for line, one in found)
    _, first = found[0]
    return Conflict(first.why.code, errors[0].detail, errors=errors, **_facts(first))


def _path(wish: RefundWish, line: OrderLine) -> str:
    return next((one.path for one in wish.lines or () if is_named(line, one.key)), "lines")


def _facts(refused: Refused) -> dict[str, Any]:
    why = refused.why
    facts = {"rule": why.rule} if why.rule else {"until": why.until}
    return {**facts, "reasons": list(refused.reasons), "unless_faulty": refused.unless_faulty}


def _detail(refused: Refused) -> str:
    return barred_detail(refused.units.line_id, refused.why, unless_faulty=refused.unless_faulty)
