"""What is wished of an order's money, and the order as a wish finds it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from orders.models import Order, OrderLine, PaymentShare
from orders.roles import Actor
from orders.services.lines import LineKey
from refunds.actions import Action
from refunds.models import Refund
from refunds.money import Sheet
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt
from refunds.services.beside import Beside
from refunds.services.payers import Gives, Source
from refunds.states import AskedBy, Goods, Initiator, RefundTo, Remedy, Route, WayBack


@dataclass(frozen=True, slots=True)
class LineWish:
    """So many units of the line with this id or sku; `path` is where it stands in the caller's body, for errors."""

    key: LineKey
    quantity: int
    path: str = "lines[0]"


@dataclass(frozen=True, slots=True)
class AdjustmentWish:
    """So much off the price of a line, in minor units, while its units stay where they are."""

    key: LineKey
    amount_minor: int
    path: str = "adjustments[0]"


@dataclass(frozen=True, slots=True)
class Contested:
    """These units of a refund were refused, `inspected` ones when they were looked at."""

    refund: Refund
    units: tuple[UnitsAt, ...]
    inspected: bool


@dataclass(frozen=True, slots=True)
class RefundWish:
    """`lines` None: all that is left; `only_unshipped`: of that, what has not been shipped (an order's cancel).

    With `lines` empty one of these is wanted: `adjustments`; a free amount (`amount_minor`); what was `overpaid`; or,
    with none of them, the shipping alone. `shipping` beside lines: True now, False not now, None by the terms' rule.
    `currency`, where stated, must be the order's; `refund_to` None: as the policy has it. `contests`: what
    was refused before is wanted again. `remedy`: what the customer wants for goods that he was sent. `asked_by`: the
    recipient of a gift has no money coming.
    """

    channel_id: int
    order_number: str
    actor: Actor
    lines: tuple[LineWish, ...] | None = None
    adjustments: tuple[AdjustmentWish, ...] = ()
    amount_minor: int | None = None
    shipping: bool | None = None
    overpaid: bool = False
    currency: str = ""
    reason_code: str = ""
    goods: Goods = Goods.RETURN
    note: str = ""
    pickup_address: dict[str, Any] | None = None
    boxes: int = 1
    way_back: WayBack | None = None
    only_unshipped: bool = False
    initiator: Initiator = Initiator.CUSTOMER
    refund_to: RefundTo | None = None
    contests: Contested | None = None
    remedy: Remedy = Remedy.MONEY
    asked_by: AskedBy = AskedBy.PAYER

    @property
    def has_units(self) -> bool:
        return self.lines is None or bool(self.lines)

    @property
    def action(self) -> Action:
        """What the actor must be permitted to ask this."""
        if self.contests:
            return Action.CONTEST
        if self.amount_minor is not None:
            return Action.REQUEST_AMOUNT
        is_by_the_rules = self.shipping is None and self.initiator is Initiator.CUSTOMER and not self.adjustments
        return Action.REQUEST if is_by_the_rules else Action.ADJUST


@dataclass(frozen=True, slots=True)
class Part:
    """What one route of a request would be, and what each payment gives of it."""

    route: Route
    units: tuple[UnitsAt, ...]
    sheet: Sheet
    shares: tuple[Gives, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """So many units of a line cannot be asked for; `code` is `in_refund`, `refunded`, `refunded_in_part` (of lines that
    have none left), `excluded` or `window_over`."""

    line_id: str
    code: str
    quantity: int


@dataclass(frozen=True, slots=True)
class Stock:
    """An order as a wish finds it: its rows, the refunds there are, and the units of it that are free.

    `beside`: what else there is to know of it. `sources`: the shares, each with its turn and where its money is to go.
    """

    order: Order
    lines: Sequence[OrderLine]
    shares: Sequence[PaymentShare]
    refunds: Sequence[Refund]
    free: Sequence[UnitsAt]
    policy: PolicySpec
    sources: Sequence[Source]
    beside: Beside
    now: datetime
