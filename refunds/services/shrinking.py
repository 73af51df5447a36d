"""A refund that gets smaller: approved in part, with fewer units accepted, or closed when only a part has moved; or is
given on other terms. The rest is free.

The sheet is made anew only before money is claimed: the movements' amounts are still open (a trigger holds that).
"""

from collections import Counter
from collections.abc import Mapping

from refunds.cuts import Cut
from refunds.models import GatewayRefund, Refund, RefundLine
from refunds.money import Ask, LineShare, OrderMoney, Purse, Sheet, allocate, capped, fitting, sheet, split_in_turns
from refunds.money.drawn import NOTHING
from refunds.movements import FUNDS_TAKEN
from refunds.services.docket import Docket
from refunds.services.reserving import free_for, reserve
from refunds.services.rows import order_money, policy_of, terms_of
from refunds.services.units import Standing
from refunds.states import MovementState


def shrink(docket: Docket, refund: Refund, keep: Mapping[int, int]) -> None:
    """Leave so many units of each refund line (id to quantity); a line that is not named keeps none.

    What a refund loses is free again, units and money alike. It never comes to more than was reserved for it, even
    where the shop has raised its prices since; the sheet says so then.
    """
    units = docket.units[refund.id]
    if all(row.quantity == keep.get(row.id, 0) for row in units):
        return
    docket.stand(refund, Standing.HELD, Standing.RELEASED)
    for row in units:
        row.quantity = keep.get(row.id, 0)
    reserved = _reserved_minor(docket, refund)
    put_worth(docket, refund, worth_now(docket, refund, limit_minor=reserved, label=Cut.RESERVED))
    docket.stand(refund, Standing.RELEASED, Standing.HELD)
    _resize(docket, refund)


def lower_prices(docket: Docket, refund: Refund, off: Mapping[str, int]) -> None:
    """The customer keeps the units, and gets so much of the price of each line (by line id, gross) instead. What the
    refund held of units is free again, and what it had reserved beyond that."""
    docket.stand(refund, Standing.HELD, Standing.RELEASED)
    for row in docket.units[refund.id]:
        row.quantity = row.announced = 0
    terms = terms_of(refund, docket.lines_of(refund.order_id))
    put_worth(docket, refund, sheet(_money(docket, refund), Ask(adjustments=off), terms))
    docket.stand(refund, Standing.RELEASED, Standing.HELD)
    _resize(docket, refund)


def redraw(docket: Docket, refund: Refund) -> None:
    """Its units stay, its terms have changed: the sheet is made anew, and comes to more as far as money is free, but to
    no more than what was asked for without fees, even where the shop has raised its prices since."""
    reserved = _reserved_minor(docket, refund)
    left_minor = reserved + free_for(docket, refund)
    asked_minor = max(reserved, refund.amount_minor) + refund.sheet.get("fees_minor", 0)
    limit_minor, why = min((left_minor, Cut.LEFT), (asked_minor, Cut.ASKED))
    docket.stand(refund, Standing.HELD, Standing.RELEASED)
    put_worth(docket, refund, worth_now(docket, refund, limit_minor=limit_minor, label=why))
    docket.stand(refund, Standing.RELEASED, Standing.HELD)
    if refund.amount_minor > reserved:
        reserve(docket, refund, refund.amount_minor - reserved)
    else:
        _resize(docket, refund)


def end_with(docket: Docket, refund: Refund, amount_minor: int) -> None:
    """It ends with so much of what its sheet says, which has been sent. The rest stays due, and may be asked for."""
    docket.stand(refund, Standing.HELD, Standing.RELEASED)
    drawn = Sheet.from_json(refund.sheet, _wanted(docket, refund))
    put_worth(docket, refund, capped(drawn, amount_minor, Cut.NOT_SENT))
    docket.stand(refund, Standing.RELEASED, Standing.HELD)


def worth_now(docket: Docket, refund: Refund, *, limit_minor: int, label: Cut) -> Sheet:
    """What it comes to while it holds nothing, on the terms it was asked for on, and at most the limit; `label` says
    which one that is.
    """
    money, terms = _money(docket, refund), terms_of(refund, docket.lines_of(refund.order_id))
    wanted = _wanted(docket, refund)
    ask = fitting(money, Ask.from_json(refund.sheet.get("asked", {}), wanted), terms)
    return capped(sheet(money, ask, terms), limit_minor, label)


def _money(docket: Docket, refund: Refund) -> OrderMoney:
    """The order's, as if this refund were not there; what it held of the lines has to be free already."""
    order = docket.orders[refund.order_id]
    others = [one for one in docket.refunds_of[order.id] if one.id != refund.id]
    return order_money(order, docket.lines_of(order.id), shares=docket.shares_of(order.id), refunds=others)


def _wanted(docket: Docket, refund: Refund) -> Counter[str]:
    """Its units by line id."""
    wanted = Counter[str]()
    for row in docket.units[refund.id]:
        wanted[docket.lines[row.order_line_id].line_id] += row.quantity
    return wanted


def put_worth(docket: Docket, refund: Refund, worth: Sheet) -> None:
    """Write the sheet on the refund, and on its units what each place of a line has of it."""
    units = docket.units[refund.id]
    refund.amount_minor, refund.sheet = worth.total_minor, worth.to_json()
    docket.decide_anew(refund)
    for line_id in {row.order_line_id for row in units}:
        name = docket.lines[line_id].line_id
        rows = [row for row in units if row.order_line_id == line_id]
        _put_share(docket, [row for row in rows if not row.is_adjustment], worth.lines.get(name, NOTHING))
        _put_share(docket, [row for row in rows if row.is_adjustment], worth.adjustments.get(name, NOTHING))


def _put_share(docket: Docket, rows: list[RefundLine], share: LineShare) -> None:
    weights = [row.quantity for row in rows] if any(row.quantity for row in rows) else [1] * len(rows)
    amounts, taxes = allocate(share.amount_minor, weights), allocate(share.tax_minor, weights)
    for row, amount, tax in zip(rows, amounts, taxes, strict=True):
        row.amount_minor, row.tax_minor = amount, tax
        docket.changes.units[row.id] = row


def _resize(docket: Docket, refund: Refund) -> None:
    """Spread the new amount over the open movements as they stood; what they lose is released, by the last to give
    first. What a bank has paid, or a hold has ended, stands."""
    amount_minor = max(0, refund.amount_minor - _settled_minor(docket, refund))
    open_ones, policy = _open(docket, refund), policy_of(refund.policy_version_id)
    turns = {m.id: docket.turn_of(docket.shares[m.share_id], policy) for m in open_ones}
    given = dict(split_in_turns(amount_minor, [Purse(m.id, m.amount_minor, turns[m.id]) for m in open_ones]))
    for movement in open_ones:
        amount = given.get(movement.id, 0)
        if amount:
            _lower(docket, movement, amount)
        else:
            docket.move(movement, MovementState.CANCELLED)


def _open(docket: Docket, refund: Refund) -> list[GatewayRefund]:
    """What is to be sent, and what a fact has taken the money of: it is still owed."""
    movements = docket.movements[refund.id]
    return [m for m in movements if m.state == MovementState.INTENDED or _is_taken(m)]


def _reserved_minor(docket: Docket, refund: Refund) -> int:
    return sum(movement.amount_minor for movement in _open(docket, refund)) + _settled_minor(docket, refund)


def _is_taken(movement: GatewayRefund) -> bool:
    return movement.state == MovementState.FAILED and movement.failure_code == FUNDS_TAKEN


def _settled_minor(docket: Docket, refund: Refund) -> int:
    return sum(m.amount_minor for m in docket.movements[refund.id] if m.state == MovementState.EXTERNAL)


def _lower(docket: Docket, movement: GatewayRefund, amount_minor: int) -> None:
    if amount_minor == movement.amount_minor:
        return
    before_minor = movement.amount_minor - movement.disputed_minor
    if movement.disputed_minor > amount_minor:
        movement.disputed_minor = amount_minor
        docket.changes.withheld[movement.id] = movement
    movement.amount_minor = amount_minor
    docket.changes.resized[movement.id] = movement
    released = before_minor - (amount_minor - movement.disputed_minor)
    if released and movement.state == MovementState.INTENDED:
        share = docket.shares[movement.share_id]
        docket.book(docket.entry(share, "release", released, movement_id=movement.id))
