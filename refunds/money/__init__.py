"""What a refund is worth, to the last minor unit. Pure; integers only.

asked (what, on which terms), types (the order), drawn (the sheet) <- shares (splitting) <- price (what was paid) <-
left (what is left of it) <- case <- giving (what comes back) <- unearned, keeping (what the shop keeps) <- beside (what
others are told), explained (the entries) <- sheets <- capping; sets and within beside them.
"""

from refunds.money.asked import NO_DEDUCTION, Ask, Fee, Terms
from refunds.money.capping import capped
from refunds.money.case import Case
from refunds.money.drawn import Entry, EntryKind, LineShare, Sheet
from refunds.money.giving import MoreThanLeft, fitting, free_minor
from refunds.money.keeping import may_keep
from refunds.money.left import overpaid_minor
from refunds.money.price import check_order, paid_minor, prices
from refunds.money.sets import SoldAsSet, check_sets
from refunds.money.shares import allocate, split
from refunds.money.sheets import sheet, sheet_of
from refunds.money.turns import Purse, split_in_turns
from refunds.money.types import DiscountMoney, LineMoney, OrderMoney, Taken
from refunds.money.within import units_within

__all__ = [
    "NO_DEDUCTION",
    "Ask",
    "Case",
    "DiscountMoney",
    "Entry",
    "EntryKind",
    "Fee",
    "LineMoney",
    "LineShare",
    "MoreThanLeft",
    "OrderMoney",
    "Purse",
    "Sheet",
    "SoldAsSet",
    "Taken",
    "Terms",
    "allocate",
    "capped",
    "check_order",
    "check_sets",
    "fitting",
    "free_minor",
    "may_keep",
    "overpaid_minor",
    "paid_minor",
    "prices",
    "sheet",
    "sheet_of",
    "split",
    "split_in_turns",
    "units_within",
]
