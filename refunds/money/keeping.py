"""What the shop keeps of a refund: what the customer would enjoy unearned, a share of the deposit, fees.

What was unearned is taken to a target, so it is given back with the rest of the order. Where less can be taken than
is wanted, the next refund takes the rest; of fees it does not.
"""

from dataclasses import dataclass

from refunds.money.asked import Fee, Terms
from refunds.money.case import Case
from refunds.money.drawn import LineShare
from refunds.money.giving import Given
from refunds.money.left import part, total
from refunds.money.shares import part_of, within
from refunds.money.types import OrderMoney
from refunds.money.unearned import Unearned, unearned


@dataclass(frozen=True, slots=True)
class Withheld:
    """What was not earned, as far as this refund takes it; negative: given back. `tax_minor` is the tax within both,
    `returned` what of them an exact amount gives back.
    """

    coupons_minor: int
    gifts_minor: int
    tax_minor: int
    returned: LineShare
    reasons: Unearned

    @property
    def of_units(self) -> LineShare:
        """What comes off the units and the shipping."""
        return total([LineShare(self.coupons_minor + self.gifts_minor, self.tax_minor), self.returned])


@dataclass(frozen=True, slots=True)
class Kept:
    """What is taken off, in minor units, and the `rest`: what comes back of units and shipping. Of the deposit a share
    is `settled_minor`; it is kept or waived.
    """

    withheld: Withheld
    settled_minor: int
    deposit_minor: int
    restocking_minor: int
    return_shipping_minor: int
    rest: LineShare


def may_keep(order: OrderMoney, terms: Terms) -> bool:
    """Whether a refund of some units of it may come to another sum than what these units were bought for."""
    before = order.taken.clawed_back_minor or order.taken.gifts_minor
    deposit = terms.deposit and order.non_refundable_minor
    coupons = terms.claw_back and any(discount.minimum_minor for discount in order.discounts)
    gifts = terms.gifts and any(line.gift_for for line in order.lines)
    fees = terms.restocking != Fee() or terms.return_shipping != Fee()
    return bool(before or deposit or coupons or gifts or fees)


def kept(case: Case, gives: Given) -> Kept:
    back, terms = gives.back, case.terms
    share, eaten = _deposit(case, gives)
    due = share if terms.deposit else 0
    withheld = _withheld(case, gives, most=back.amount_minor - due)
    off = withheld.of_units
    earned = LineShare(back.amount_minor - off.amount_minor, back.tax_minor - off.tax_minor)
    deposit = min(due, earned.amount_minor)
    free = earned.amount_minor - deposit
    restocking = min(_fee(case, terms.restocking, gives), free)
    freight = min(_fee(case, terms.return_shipping, gives), free - restocking)
    return Kept(withheld, share + eaten, deposit, restocking, freight, part(earned, free - restocking - freight))


def _deposit(case: Case, gives: Given) -> tuple[int, int]:
    """The deposit's share of the units asked for, and what of it nothing is left for: exact amounts have given it back,
    these or earlier ones. It is open as far as the goods that are left.
    """
    left = sum(line.amount_minor for line in case.goods_left.values())
    stated = min(case.order.non_refundable_minor, case.goods_paid.amount_minor)
    still_open = max(0, stated - case.order.taken.deposit_minor)
    share = part_of(min(still_open, left), gives.goods.amount_minor, of=left)
    goods = gives.goods.amount_minor + sum(one.amount_minor for one in gives.adjustments.values())
    return share, max(0, still_open - share - (left - goods))


def _withheld(case: Case, gives: Given, *, most: int) -> Withheld:
    """As much of what is missing to the target as can be taken of what comes back, with its tax; and so much that all
    refunds together never give more than was paid.
    """
    taken, reasons = case.order.taken, unearned(case)
    coupons = _missing(reasons.coupons_minor - taken.clawed_back_minor, applies=case.terms.claw_back)
    to_gifts = reasons.gifts_minor - taken.gifts_minor
    gifts = _missing(to_gifts, applies=case.terms.gifts)
    before, returned = case.withheld, gives.returned
    least = _least(case, gives, before)
    wanted = coupons + gifts + returned.amount_minor if case.asks_units else 0
    amount = within(wanted, least.amount_minor, most)
    paid = case.goods_paid
    in_all = before.amount_minor - returned.amount_minor + amount
    tax = within(
        part_of(paid.tax_minor, max(0, in_all), of=paid.amount_minor) - before.tax_minor + returned.tax_minor,
        max(least.tax_minor, amount - gives.back.net_minor),
        min(gives.back.tax_minor, amount - least.net_minor),
    )
    booked = amount - returned.amount_minor
    off_gifts = within(booked - coupons, min(0, to_gifts), max(0, to_gifts))
    return Withheld(booked - off_gifts, off_gifts, tax - returned.tax_minor, returned, reasons)


def _missing(to_target: int, *, applies: bool) -> int:
    """What is missing to a target; where it does not apply, it is only given back."""
    return to_target if applies else min(0, to_target)


def _least(case: Case, gives: Given, before: LineShare) -> LineShare:
    """What must be taken since an earlier refund gave it back, and the one that had kept it was cancelled."""
    left, back, exact = case.left, gives.back, gives.exact
    tax = back.tax_minor + exact.tax_minor - left.tax_minor - before.tax_minor
    net = back.net_minor + exact.net_minor - left.net_minor - before.net_minor
    return LineShare(net + tax, tax)


def _fee(case: Case, fee: Fee, gives: Given) -> int:
    return part_of(gives.goods.amount_minor, fee.per_mille, of=1000) + fee.fixed_minor if case.asks_units else 0
