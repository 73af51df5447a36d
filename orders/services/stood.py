"""What an order counted and cost when a refund last took from it: the floor of every later PUT.

The rows hold the order as stated last, which may be a slip; so the first PUT after a refund keeps what it replaces.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Max

from orders.models import Order, OrderLine
from orders.services.held import HeldOrder
from refunds.models import Refund
from refunds.money import OrderMoney
from refunds.money.price import prices, shipping
from refunds.services.rows import order_money
from refunds.states import RELEASED_STATES


@dataclass(frozen=True, slots=True)
class LineStood:
    """A whole line: list price, the same after discounts (`goods_minor`), and the tax that came on top of that."""

    quantity: int
    list_minor: int
    goods_minor: int
    tax_on_top_minor: int

    @property
    def stated_minor(self) -> int:
        """What is stated of the line itself, whatever discounts of the order take off it."""
        return self.list_minor + self.tax_on_top_minor


@dataclass(frozen=True, slots=True)
class Stood:
    """The order at one moment, lines by id."""

    lines: Mapping[str, LineStood]
    shipping_minor: int
    discounts_minor: int


@dataclass(frozen=True, slots=True)
class Before:
    """The order before it is stated anew: as stored (`last`), and as it stood when `refund_id`, the newest refund that
    has something of it, was asked for (`taken`); its cost, and what was captured or held to pay for it."""

    last: Stood
    taken: Stood
    refund_id: int
    total_minor: int
    money_minor: int


def before(held: HeldOrder) -> Before | None:
    """None where no refund has taken anything: everything may change freely."""
    if not anything_taken(held):
        return None
    refund_id, last = _newest_refund(held.order), stands(held)
    money = sum(share.captured_minor + share.authorized_minor for share in held.shares)
    return Before(last, _kept(held.order, refund_id, last), refund_id, held.order.total_minor, money)


def keep(order: Order, one: Before) -> None:
    order.stood = {"refund_id": one.refund_id} | asdict(one.taken)


def stands(held: HeldOrder) -> Stood:
    """As the rows say in this moment."""
    money = order_money(held.order, held.lines)
    lines = {
        line.line_id: LineStood(
            line.quantity, line.list_minor, price.goods_minor, price.paid.amount_minor - price.goods_minor
        )
        for line, price in zip(held.lines, prices(money), strict=True)
    }
    return Stood(lines, shipping(money).amount_minor, _off(money))


def anything_taken(held: HeldOrder) -> bool:
    return bool(held.order.shipping_refunded_minor) or any(is_taken_of(line) for line in held.lines)


def is_taken_of(line: OrderLine) -> bool:
    return bool(line.held or line.refunded or line.refunded_minor or line.adjusted_minor)


def _newest_refund(order: Order) -> int:
    """0: what was taken came back before the order came here."""
    taking = Refund.objects.filter(order_id=order.pk).exclude(state__in=sorted(RELEASED_STATES))
    return taking.aggregate(newest=Max("id"))["newest"] or 0


def _kept(order: Order, refund_id: int, last: Stood) -> Stood:
    """As kept since that refund, else as now: nobody has stated the order since. A line that came later is as it is."""
    kept: dict[str, Any] = order.stood
    if kept.get("refund_id") != refund_id:
        return last
    lines = {line_id: LineStood(**line) for line_id, line in kept["lines"].items()}
    return Stood({**last.lines, **lines}, kept["shipping_minor"], kept["discounts_minor"])


def _off(money: OrderMoney) -> int:
    return sum(discount.amount_minor for discount in money.discounts)
