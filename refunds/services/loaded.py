"""The rows of some locked orders, read in a constant number of statements. Nothing here changes them."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from functools import cached_property
from typing import Any, cast

from django.conf import settings

from orders.models import Channel, Order, OrderLine, Payment, PaymentShare, Shipment, ShipmentLine
from refunds import records
from refunds.limits import not_before
from refunds.models import CreditNote, GatewayRefund, Incident, Pickup, Refund, RefundLine
from refunds.numbers import intercept_number
from refunds.policy import PolicySpec
from refunds.selectors.disposed import Units
from refunds.selectors.feed import refunds_with_event
from refunds.selectors.sent import last_sent
from refunds.selectors.zoned import policy_in
from refunds.states import Goods
from workers.ports import Limits


class Loaded:
    """Rows by id, or by the refund they belong to; all times are `now`, the business clock's."""

    def __init__(self, order_ids: Collection[int], *, now: datetime) -> None:
        self.now = now
        self._channels: dict[int, Channel] = {}
        self.orders = {o.id: o for o in self._load_orders(order_ids)}
        self.lines = {x.id: x for x in records.load(OrderLine, "order_id", order_ids)}
        shares, self.payments = records.load_with(PaymentShare, Payment, "payment_id", "order_id", order_ids)
        self.shares = {s.id: s for s in shares}
        self.refunds = {r.id: r for r in records.load(Refund, "order_id", order_ids)}
        self._lines_of = _by_order(self.lines.values())
        self._shares_of = _by_order(self.shares.values())
        self.refunds_of = _by_order(self.refunds.values())
        self.movements: dict[int, list[GatewayRefund]] = {}
        self.units: dict[int, list[RefundLine]] = {}
        self.pickups: dict[int, list[Pickup]] = {}
        self.shipments: dict[int, Shipment] = {}
        self.incidents: dict[int, dict[str, Incident]] = {}
        self.disposed: dict[int, Units] | None = None
        self._with: dict[str, set[int]] = {}
        self._inside: defaultdict[int, list[ShipmentLine]] | None = None

    def _load_orders(self, order_ids: Collection[int]) -> list[Order]:
        """A single one with its channel: for many, which have it in common, a statement costs less than its copies."""
        if len(order_ids) > 1:
            return records.load(Order, "id", order_ids)
        orders, self._channels = records.load_with(Order, Channel, "channel_id", "id", order_ids)
        return orders

    def open_cases(self, refund_ids: Collection[int]) -> None:
        """Load what belongs to these refunds: movements, units, parcels, and the open incidents by kind."""
        for refund_id in refund_ids:
            self.movements[refund_id], self.units[refund_id], self.incidents[refund_id] = [], [], {}
            self.pickups[refund_id] = []
        for movement in records.load(GatewayRefund, "refund_id", refund_ids):
            self.movements[movement.refund_id].append(movement)
        for line in records.load(RefundLine, "refund_id", refund_ids):
            self.units[line.refund_id].append(line)
        for incident in records.load(Incident, "refund_id", refund_ids, where="closed_at IS NULL"):
            self.incidents[cast(int, incident.refund_id)][incident.kind] = incident
        self._load_parcels(refund_ids)

    def _load_parcels(self, refund_ids: Collection[int]) -> None:
        """Nothing to read for refunds whose units never left, unless the customer says that he has sent them back."""
        travelled = {u.shipment_id for i in refund_ids for u in self.units[i] if u.shipment_id}
        if not travelled and all(self.refunds[i].goods != Goods.ALREADY_SENT for i in refund_ids):
            return
        self.shipments |= {s.id: s for s in records.load(Shipment, "id", travelled - self.shipments.keys())}
        for pickup in records.load(Pickup, "refund_id", refund_ids):
            self.pickups[pickup.refund_id].append(pickup)

    def lacks_credit_note(self, refund: Refund) -> bool:
        """Money goes back that was charged, and the shop has not said under which number it credits it."""
        is_charged = any(m.kind != "void" for m in self.movements[refund.id])
        return is_charged and refund.id not in self._credited

    @cached_property
    def _credited(self) -> set[int]:
        return set(CreditNote.objects.filter(refund__in=self.refunds).values_list("refund_id", flat=True))

    def lines_of(self, order_id: int) -> list[OrderLine]:
        return self._lines_of[order_id]

    def shares_of(self, order_id: int) -> list[PaymentShare]:
        return self._shares_of[order_id]

    def parcels_of(self, refund: Refund) -> list[Shipment]:
        """The parcels on their way out that hold units which are still to be paid for."""
        if not self.shipments:
            return []
        ids = sorted({u.shipment_id for u in self.units[refund.id] if u.shipment_id and u.quantity})
        return [self.shipments[i] for i in ids]

    def shipment_numbered(self, number: str) -> Shipment:
        """The outward parcel whose intercept has this number."""
        return next(s for s in self.shipments.values() if intercept_number(settings.NUMBER_PREFIX, s.id) == number)

    def inside(self, shipment: Shipment) -> list[ShipmentLine]:
        """The units in a parcel, read for all parcels once the first is asked for."""
        if self._inside is None:
            self._inside = defaultdict(list)
            for units in records.load(ShipmentLine, "shipment_id", self.shipments):
                self._inside[units.shipment_id].append(units)
        return self._inside[shipment.id]

    def refunds_with(self, kind: str) -> set[int]:
        """The cases that have an event of this kind, read for all of them once the first is asked about."""
        if kind not in self._with:
            self._with[kind] = refunds_with_event(self.movements, kind)
        return self._with[kind]

    def channel_of(self, order: Order) -> Channel:
        if order.channel_id not in self._channels:
            [self._channels[order.channel_id]] = records.load(Channel, "id", [order.channel_id])
        return self._channels[order.channel_id]

    def rules_of(self, refund: Refund) -> PolicySpec:
        """By which it is decided, with days by the clock of its channel."""
        channel = self.channel_of(self.orders[refund.order_id])
        return policy_in(refund.policy_version_id, channel.time_zone)

    def turn_of(self, share: PaymentShare, policy: PolicySpec) -> int:
        """When it gives, of several payments."""
        return policy.turn_of(self.payments[share.payment_id].method)

    def account_of(self, movement: GatewayRefund) -> str:
        """Where it is sent: its payment's account, unless it goes elsewhere."""
        return movement.target or self.payment_of(movement).account

    def taken_from(self, movement: GatewayRefund, limits: Limits) -> datetime | None:
        """From when on its gateway takes it, so soon after another refund of its payment."""
        if not limits.interval_seconds or movement.first_sent_at or movement.target:
            return None
        return not_before(limits, self._last_sent(movement))

    def _last_sent(self, movement: GatewayRefund) -> datetime | None:
        """When another refund of its payment was last sent: as stored, or in this very pass."""
        payment = self.payment_of(movement)
        here = [m for ms in self.movements.values() for m in ms if m.id != movement.id and not m.target]
        times = [m.sent_at for m in here if m.sent_at and self.payment_of(m).id == payment.id]
        stored = last_sent(payment.id, but=movement.id)
        return max([*times, *([stored] if stored else [])], default=None)

    def payment_of(self, movement: GatewayRefund) -> Payment:
        return self.payments[self.shares[movement.share_id].payment_id]


def _by_order(rows: Iterable[Any]) -> defaultdict[int, list[Any]]:
    grouped = defaultdict(list)
    for row in rows:
        grouped[row.order_id].append(row)
    return grouped
