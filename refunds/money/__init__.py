"""What a refund is worth, to the last minor unit. Pure; integers only.

types <- shares (splitting) <- price (what was paid) <- sheets (what comes back, and why) <- within (what money is
left for).
"""

from refunds.money.price import check_order, paid_minor, prices
from refunds.money.shares import allocate, split
from refunds.money.sheets import capped, sheet
from refunds.money.types import DiscountMoney, Entry, EntryKind, LineMoney, LineShare, OrderMoney, Sheet
from refunds.money.within import units_within

__all__ = [
    "DiscountMoney",
    "Entry",
    "EntryKind",
    "LineMoney",
    "LineShare",
    "OrderMoney",
    "Sheet",
    "allocate",
    "capped",
    "check_order",
    "paid_minor",
    "prices",
    "sheet",
    "split",
    "units_within",
]
