"""How the counters of lines and shipping follow a refund's state: held while it runs, refunded once it has paid."""

from collections.abc import Sequence
from enum import Enum

from orders.models import Order, OrderLine
from refunds.models import Refund, RefundLine
from refunds.states import PAID_STATES, RELEASED_STATES


class Standing(Enum):
    """What a refund's state means for its units and for the money it takes from its lines."""

    HELD = "held"
    PAID = "paid"
    RELEASED = "released"


def standing(state: str) -> Standing:
    if state in PAID_STATES:
        return Standing.PAID
    return Standing.RELEASED if state in RELEASED_STATES else Standing.HELD


def count_line(line: OrderLine, units: RefundLine, before: Standing, after: Standing) -> None:
    """Move the units' counts on their line from one standing to another."""
    for when, sign in ((before, -1), (after, 1)):
        n = sign * units.quantity
        unshipped = n if units.shipment_id is None else 0
        if when is Standing.HELD:
            line.held += n
        elif when is Standing.PAID:
            line.refunded += n
            line.refunded_unshipped += unshipped
        if when is not Standing.RELEASED:
            line.withheld += unshipped
            _count_money(line, units, sign)


def _count_money(line: OrderLine, units: RefundLine, sign: int) -> None:
    if units.is_adjustment:
        line.adjusted_minor += sign * units.amount_minor
        line.adjusted_tax_minor += sign * units.tax_minor
    else:
        line.refunded_minor += sign * units.amount_minor
        line.refunded_tax_minor += sign * units.tax_minor


def count_shipping(order: Order, refund: Refund, before: Standing, after: Standing) -> None:
    """Shipping is given back once: it belongs to the refund whose sheet has it, until that is released."""
    sign = (before is Standing.RELEASED) - (after is Standing.RELEASED)
    order.shipping_refunded_minor += sign * refund.sheet["shipping_minor"]
    order.shipping_tax_refunded_minor += sign * refund.sheet["shipping_tax_minor"]


def spread(rows: Sequence[RefundLine], quantity: int) -> dict[int, int]:
    """So many units over the rows of one line, the first rows first."""
    given = {}
    for row in rows:
        given[row.id] = min(row.quantity, quantity)
        quantity -= given[row.id]
    return given
