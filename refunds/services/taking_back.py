"""A customer's wish is bound by what the policy takes back; the shop's own people may be more generous."""

from collections.abc import Sequence
from typing import Any

from orders.errors import Conflict, FieldError
from orders.models import OrderLine, Shipment
from orders.roles import Role
from orders.services.lines import is_named
from refunds.returnable import Refusal
from refunds.routing import UnitsAt, route
from refunds.selectors.taken_back import Parcels, parcels_of, refusal_of
from refunds.services.wishes import RefundWish, Stock
from refunds.states import Initiator
from refunds.terms import Circumstances, Fault, fault

#: Who asks for the customer, and not out of goodwill.
BOUND = (Role.CUSTOMER, Role.SHOP)


def taken_back(wish: RefundWish, stock: Stock, units: Sequence[UnitsAt]) -> tuple[UnitsAt, ...]:
    """The units that the policy takes back. Of a wish for all that is left, what it refuses is left out. Raises
    Conflict (`excluded`, `window_over`) for lines that were named, or where nothing is left."""
    refused = refusals(wish, stock, units)
    if not refused:
        return tuple(units)
    kept = tuple(u for u in units if u not in refused)
    if wish.lines is None and kept:
        return kept
    raise _refused(wish, stock, refused)


def refusals(wish: RefundWish, stock: Stock, units: Sequence[UnitsAt]) -> dict[UnitsAt, Refusal]:
    """Which of these units the policy does not take back from this wish, and why. One query, where there is a
    window."""
    policy = stock.policy
    is_bound = wish.actor.role in BOUND and wish.initiator is Initiator.CUSTOMER and not wish.contests
    if not is_bound or not (policy.exclusions or policy.window_days is not None):
        return {}
    lines, parcels = {line.line_id: line for line in stock.lines}, _parcels(stock)
    found = {}
    for at in units:
        own = _is_his_own(wish, stock, at)
        if why := refusal_of(at, lines[at.line_id], parcels, by_customer=own):
            found[at] = why
    return found


def _parcels(stock: Stock) -> Parcels:
    if stock.policy.window_days is None:
        return Parcels(stock.policy, stock.now, {})
    return parcels_of(Shipment.objects.filter(order=stock.order), stock.lines, stock.policy, stock.now)


def _is_his_own(wish: RefundWish, stock: Stock, units: UnitsAt) -> bool:
    about = Circumstances(
        currency=stock.order.currency,
        reason_code=wish.reason_code,
        route=route(units, wish.goods),
        goods=wish.goods,
        shipped=any(line.shipped for line in stock.lines),
    )
    return fault(stock.policy, about) is Fault.CUSTOMER


def _refused(wish: RefundWish, stock: Stock, refused: dict[UnitsAt, Refusal]) -> Conflict:
    """Each line once, with the first reason; the problem has that of the first line."""
    by_line = {units.line_id: why for units, why in reversed(refused.items())}
    lines = [line for line in stock.lines if line.line_id in by_line]
    errors = tuple(
        FieldError(_path(wish, line), by_line[line.line_id].code, _detail(line.line_id, by_line[line.line_id]))
        for line in lines
    )
    first = by_line[lines[0].line_id]
    return Conflict(first.code, errors[0].detail, errors=errors, **_facts(first))


def _path(wish: RefundWish, line: OrderLine) -> str:
    return next((one.path for one in wish.lines or () if is_named(line, one.key)), "lines")


def _facts(why: Refusal) -> dict[str, Any]:
    return {"rule": why.rule} if why.rule else {"until": why.until}


def _detail(line_id: str, why: Refusal) -> str:
    if why.code == "excluded":
        return f"Line {line_id} is not taken back by the rule: {why.rule}. What is faulty is taken back all the same."
    return f"Line {line_id} could be given back until {why.until:%Y-%m-%dT%H:%M:%SZ}."
