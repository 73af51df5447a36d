"""A request as it was when it was made: read off rows that have gone on since."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from orders.states import ShipmentState
from refunds.money import Ask, OrderMoney, Sheet
from refunds.policy import PolicySpec
from refunds.returnable import LineFacts, window_since
from refunds.routing import Sent
from refunds.states import Goods, Place, Remedy

#: A parcel that does not arrive ends no window.
_NEVER_ARRIVES = (ShipmentState.RETURNED, ShipmentState.RETURNING, ShipmentState.LOST, ShipmentState.REFUSED)


@dataclass(frozen=True, slots=True)
class PastParcel:
    """A parcel as its row says today. `fact_at`: the time of what the carrier said last; `heard_at`: when we first
    heard that it had arrived; `known_at`: since when we know of it at all."""

    state: ShipmentState
    shipped_at: datetime
    known_at: datetime
    fact_at: datetime
    delivered_at: datetime | None = None
    stopped_at: datetime | None = None
    heard_at: datetime | None = None

    def sent(self, at: datetime) -> Sent | None:
        """As it was at that time; None: it had not left."""
        if self.known_at > at:
            return None
        return Sent(self._state(at), self.shipped_at, _until(self.stopped_at, at), _until(self.heard_at, at))

    def arrived_at(self, policy: PolicySpec, at: datetime) -> datetime | None:
        """When it had arrived, as the policy reads it at that time."""
        sent = self.sent(at)
        if sent is None:
            return None
        if sent.state is ShipmentState.DELIVERED:
            return self.delivered_at or self.heard_at
        reading = policy.reading(at)
        return reading.assumed_at(sent) if reading.is_assumed(sent) else None

    def arrives(self, at: datetime) -> bool:
        return self.known_at <= at and self._state(at) not in _NEVER_ARRIVES

    def _state(self, at: datetime) -> ShipmentState:
        if self.fact_at <= at and self.state is not ShipmentState.DELIVERED:
            return self.state
        heard = self.delivered_at and (self.heard_at or self.delivered_at)
        return ShipmentState.DELIVERED if heard and heard <= at else ShipmentState.SHIPPED


@dataclass(frozen=True, slots=True)
class AskedUnits:
    """So many units of a line, that lie in one parcel (None: in none)."""

    line_id: str
    line: LineFacts
    quantity: int
    parcel_id: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One refund of a request. `money` is the order's before it, `ask` what is wanted beside the units, `sheet` what
    it came to. `parcels` of the whole order; `all_sent`: nothing was left to send. `is_bound`: what the policy takes
    back counts for who asked; `by_shop`: the shop gives it by itself, `needs_nobody`: and nobody has to agree.
    `charged`: something was paid. `has_credit`: the customer could have store credit. `is_part`: the request has other
    refunds as well.
    """

    number: str
    at: datetime
    currency: str
    money: OrderMoney
    sheet: Sheet
    units: tuple[AskedUnits, ...] = ()
    parcels: Mapping[int, PastParcel] = field(default_factory=dict)
    all_sent: bool = True
    ask: Ask = Ask()
    reason_code: str = ""
    goods: Goods = Goods.RETURN
    remedy: Remedy = Remedy.MONEY
    way_back: str = ""
    labels: Mapping[str, Any] = field(default_factory=dict)
    is_bound: bool = True
    by_shop: bool = False
    needs_nobody: bool = False
    contested: bool = False
    charged: bool = True
    has_credit: bool = False
    is_part: bool = False

    @property
    def has_shipped(self) -> bool:
        return any(parcel.known_at <= self.at for parcel in self.parcels.values())

    def place_of(self, units: AskedUnits, policy: PolicySpec) -> Place:
        """Where the policy saw these units."""
        sent = self.parcels[units.parcel_id].sent(self.at) if units.parcel_id is not None else None
        return policy.reading(self.at).place_of(sent) if sent else Place.UNSHIPPED

    def since(self, units: AskedUnits, policy: PolicySpec) -> datetime | None:
        """From when the window of these units ran; None: it had not begun."""
        arrived = {key: p.arrived_at(policy, self.at) for key, p in self.parcels.items() if p.arrives(self.at)}
        own = arrived.get(units.parcel_id) if units.parcel_id is not None else None
        others = [*arrived.values(), *([] if self.all_sent else [None])]
        return window_since(own, others, policy.window_from)


def _until(moment: datetime | None, at: datetime) -> datetime | None:
    """What we knew of by then."""
    return moment if moment and moment <= at else None
