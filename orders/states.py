"""The order's two machines, pure: where its units are (`OrderState`) and how far it is refunded (`OrderRefundState`).

Both are projections of counted units and money, written in the same transaction as every change and under the
order's lock. Fusing them would end in states such as "refunded-and-returned".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class OrderState(StrEnum):
    PAID = "paid"
    PARTIALLY_SHIPPED = "partially_shipped"
    SHIPPED = "shipped"
    DELIVERED = "delivered"
    CANCELLED = "cancelled"


class OrderRefundState(StrEnum):
    NONE = "none"
    REFUND_REQUESTED = "refund_requested"
    PARTIALLY_REFUNDED = "partially_refunded"
    REFUNDED = "refunded"


class Fulfilment(StrEnum):
    SHIP = "ship"
    DIGITAL = "digital"
    NONE = "none"


class PaymentMethod(StrEnum):
    """What the customer paid with."""

    CARD = "card"
    GIFT_CARD = "gift_card"
    POINTS = "points"
    CASH = "cash"
    OTHER = "other"


class ShipmentState(StrEnum):
    """The outward parcel, as the carrier reports it."""

    SHIPPED = "shipped"
    DELIVERED = "delivered"
    INTERCEPTING = "intercepting"
    RETURNING = "returning"
    RETURNED = "returned"
    LOST = "lost"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Arrow:
    """One legal move of a machine: the FSM method `verb` leads from any of `sources` to `target`."""

    verb: str
    sources: tuple[str, ...]
    target: str


_O = OrderState
ORDER_ARROWS = (
    Arrow("ship_part", (_O.PAID, _O.SHIPPED, _O.DELIVERED), _O.PARTIALLY_SHIPPED),
    Arrow("ship_rest", (_O.PAID, _O.PARTIALLY_SHIPPED, _O.DELIVERED), _O.SHIPPED),
    Arrow("deliver", (_O.PAID, _O.PARTIALLY_SHIPPED, _O.SHIPPED), _O.DELIVERED),
    Arrow("cancel", (_O.PAID,), _O.CANCELLED),
    Arrow("reopen", (_O.CANCELLED,), _O.PAID),
)

_S = ShipmentState
SHIPMENT_ARROWS = (
    Arrow("deliver", (_S.SHIPPED, _S.INTERCEPTING, _S.RETURNING, _S.LOST, _S.REFUSED), _S.DELIVERED),
    Arrow("intercept", (_S.SHIPPED,), _S.INTERCEPTING),
    Arrow("turn_back", (_S.SHIPPED, _S.INTERCEPTING, _S.REFUSED, _S.LOST), _S.RETURNING),
    Arrow("come_back", (_S.SHIPPED, _S.INTERCEPTING, _S.RETURNING, _S.REFUSED, _S.LOST), _S.RETURNED),
    Arrow("lose", (_S.SHIPPED, _S.INTERCEPTING, _S.RETURNING), _S.LOST),
    Arrow("refuse", (_S.SHIPPED, _S.INTERCEPTING), _S.REFUSED),
)


#: What a carrier may report of an outward parcel.
CARRIER_FACTS = (_S.DELIVERED, _S.RETURNING, _S.RETURNED, _S.LOST, _S.REFUSED)
#: Before the first word of the carrier there is nothing that could be newer than it.
_UNREPORTED = (_S.SHIPPED, _S.INTERCEPTING)


def is_news(held: ShipmentState, held_at: datetime, told: ShipmentState, at: datetime) -> bool:
    """Whether a carrier's word changes anything: by the carrier's time an older one never undoes a newer one."""
    return held != told and (held in _UNREPORTED or at >= held_at)


@dataclass(frozen=True, slots=True)
class LineUnits:
    """The counted units of one line; `withheld` never ship (a refund holds them or has paid for them unshipped)."""

    quantity: int
    shipped: int
    delivered: int
    withheld: int
    refunded_unshipped: int
    ships: bool = True

    @property
    def shippable(self) -> int:
        return self.quantity - self.shipped - self.withheld if self.ships else 0


def order_state(lines: Iterable[LineUnits]) -> OrderState:
    """Where the order stands by what remains to be shipped: bought - refunded - held."""
    lines = tuple(lines)
    shipped = sum(line.shipped for line in lines)
    if lines and all(line.refunded_unshipped == line.quantity for line in lines):
        return OrderState.CANCELLED
    if not shipped:
        return OrderState.PAID
    if any(line.shippable for line in lines):
        return OrderState.PARTIALLY_SHIPPED
    return OrderState.DELIVERED if shipped == sum(line.delivered for line in lines) else OrderState.SHIPPED


def order_refund_state(*, active: bool, any_refunded: bool, anything_left: bool) -> OrderRefundState:
    """The projection of an order's refunds; `anything_left`: goods, or a part of their price, and money that could
    still be refunded."""
    if active:
        return OrderRefundState.REFUND_REQUESTED
    if not any_refunded:
        return OrderRefundState.NONE
    return OrderRefundState.PARTIALLY_REFUNDED if anything_left else OrderRefundState.REFUNDED


def verb_to(arrows: Iterable[Arrow], *, source: str, target: str) -> str | None:
    """The FSM method that leads from `source` to `target`; None when there already; ValueError when illegal."""
    if source == target:
        return None
    for arrow in arrows:
        if source in arrow.sources and arrow.target == target:
            return arrow.verb
    raise ValueError(f"no arrow leads from {source} to {target}")
