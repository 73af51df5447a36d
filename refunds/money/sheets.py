"""The refund sheet: one pure function from an order, what is asked and the terms to explained entries.

given (gross) - kept (by the shop) = the total; beside it stands what others must be told. Exact over any sequence.
"""

from refunds.money.asked import NO_DEDUCTION, Ask, Terms
from refunds.money.beside import funded, points, taxes
from refunds.money.case import Case
from refunds.money.drawn import Sheet
from refunds.money.explained import entries
from refunds.money.giving import given
from refunds.money.keeping import kept
from refunds.money.left import total
from refunds.money.types import OrderMoney


def sheet(order: OrderMoney, ask: Ask, terms: Terms = NO_DEDUCTION) -> Sheet:
    """What a refund of what is asked is worth, and why.

    ValueError when a line is unknown, a number negative, or more units are asked than are left; MoreThanLeft when
    more money is.
    """
    return sheet_of(Case.of(order, ask, terms))


def sheet_of(case: Case) -> Sheet:
    """`sheet` of an order whose prices are drawn up already: for many questions about the same one."""
    gives = given(case)
    keeps = kept(case, gives)
    freight = total([gives.freight, gives.extra])
    worth = total([keeps.rest, gives.exact])
    return Sheet(
        entries=entries(case, gives, keeps),
        lines=gives.units,
        shipping_minor=freight.amount_minor,
        shipping_tax_minor=freight.tax_minor,
        total_minor=worth.amount_minor + gives.overpaid_minor,
        tax_minor=worth.tax_minor,
        adjustments=gives.adjustments,
        deposit_minor=keeps.settled_minor,
        clawed_back_minor=keeps.withheld.coupons_minor,
        gifts_minor=keeps.withheld.gifts_minor,
        withheld_tax_minor=keeps.withheld.tax_minor,
        overpaid_minor=gives.overpaid_minor,
        fees_minor=keeps.restocking_minor + keeps.return_shipping_minor,
        points=points(case, gives),
        funded=funded(case) if case.asks_units else {},
        taxes=taxes(case, gives, worth),
        asked=case.ask,
    )
