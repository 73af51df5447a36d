"""What a refund is worth, to the last minor unit. Pure; integers only.

types <- shares (splitting) <- price (what was paid) <- sheets (what comes back, and why) <- within (what money is
left for).
"""

from refunds.money.asked import Ask, Fee, Terms
from refunds.money.drawn import Entry, EntryKind, LineShare, Sheet
from refunds.money.price import check_order, paid_minor, prices
from refunds.money.shares import allocate, split
from refunds.money.sheets import capped, sheet
from refunds.money.types import DiscountMoney, LineMoney, OrderMoney, Taken
from refunds.money.within import units_within

__all__ = [
    "Ask",
    "DiscountMoney",
    "Entry",
    "EntryKind",
    "Fee",
    "LineMoney",
    "LineShare",
    "OrderMoney",
    "Sheet",
    "Taken",
    "Terms",
    "allocate",
    "capped",
    "check_order",
    "paid_minor",
    "prices",
    "sheet",
    "split",
    "units_within",
]
