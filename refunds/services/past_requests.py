"""Requests of the past with their orders, as they were: read in pages, each in a constant number of statements.

Nothing is written, and no row is locked: read it within `orders.snapshot`.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from orders.models import Order, OrderLine, PaymentShare, Shipment, ShipmentLine
from orders.roles import Role
from orders.states import Fulfilment, ShipmentState
from refunds import records
from refunds.declared.choosing import OrderFacts
from refunds.models import PolicyVersion, Refund, RefundLine
from refunds.money import Ask, OrderMoney, Sheet
from refunds.policy import PolicySpec
from refunds.returnable import LineFacts
from refunds.selectors.credit_accounts import credit_account
from refunds.selectors.store_credit import holder_of
from refunds.services.case import SHOPS_OWN
from refunds.services.rows import order_money
from refunds.services.taking_back import BOUND
from refunds.simulating import Asked, AskedUnits, PastParcel
from refunds.states import RELEASED_STATES, Goods, Initiator, Remedy

_PAST = """
FROM refunds_refund r JOIN orders_order o ON o.id = r.order_id JOIN orders_channel c ON c.id = o.channel_id
WHERE r.created_at >= %s AND (%s::text IS NULL OR c.slug = %s)
"""
_COUNT = f"SELECT count(*) {_PAST}"
_PAGE = f"SELECT r.id, r.order_id, c.slug, c.policy {_PAST} AND r.id > %s ORDER BY r.id LIMIT %s"
#: What it came to when it was asked for, and the policy that it was pinned to before it followed another one.
_BEGAN = """
SELECT DISTINCT ON (refund_id, kind) refund_id, kind, data FROM refunds_refundevent
WHERE refund_id = ANY(%b::bigint[]) AND kind IN ('refund.requested', 'refund.policy_changed')
ORDER BY refund_id, kind, seq
"""
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Refunds asked for since then, of one channel (its slug) or of all."""

    since: datetime
    channel: str | None = None

    @property
    def params(self) -> list[Any]:
        return [self.since, self.channel, self.channel]


@dataclass(frozen=True, slots=True)
class Past:
    """A request, the policy it was decided by, and by what one is chosen for its order. `asked` None: its trail does
    not tell how it began."""

    number: str
    order: OrderFacts
    policy: PolicySpec
    asked: Asked | None


def count_past(wanted: Wanted) -> int:
    return int(records.execute(_COUNT, wanted.params).fetchone()[0])


def past_requests(wanted: Wanted, *, page: int) -> Iterator[list[Past]]:
    """The oldest first, so many at a time."""
    after, rules = 0, dict[int, PolicySpec]()
    while rows := records.execute(_PAGE, [*wanted.params, after, page]).fetchall():
        after = rows[-1][0]
        book = _Book({order_id for _, order_id, _, _ in rows}, rules)
        yield [book.past(*row) for row in rows]


class _Book:
    """The orders of a page with all that belongs to them."""

    def __init__(self, order_ids: Collection[int], rules: dict[int, PolicySpec]) -> None:
        self.orders = {order.pk: order for order in records.load(Order, "id", order_ids)}
        self.lines = _by(records.load(OrderLine, "order_id", order_ids), "order_id")
        self.shares = _by(records.load(PaymentShare, "order_id", order_ids), "order_id")
        self.shipments = _by(records.load(Shipment, "order_id", order_ids), "order_id")
        parcels = [shipment.pk for rows in self.shipments.values() for shipment in rows]
        self.packed = _by(records.load(ShipmentLine, "shipment_id", parcels), "shipment_id")
        self.refunds = _by(records.load(Refund, "order_id", order_ids), "order_id")
        refund_ids = [refund.pk for rows in self.refunds.values() for refund in rows]
        self.units = _by(records.load(RefundLine, "refund_id", refund_ids), "refund_id")
        self.began = {(row[0], row[1]): row[2] for row in records.execute(_BEGAN, [refund_ids]).fetchall()}
        pinned = {self._version_id(refund) for rows in self.refunds.values() for refund in rows}
        fresh = records.load(PolicyVersion, "id", pinned - rules.keys())
        rules.update((version.pk, PolicySpec.from_json(version.spec)) for version in fresh)
        self.rules = rules

    def past(self, refund_id: int, order_id: int, channel: str, named: str) -> Past:
        refund = next(one for one in self.refunds[order_id] if one.pk == refund_id)
        facts = OrderFacts(channel, self.orders[order_id].labels, named)
        return Past(refund.number, facts, self.rules[self._version_id(refund)], self._asked(refund))

    def _version_id(self, refund: Refund) -> int:
        changed = self.began.get((refund.pk, "refund.policy_changed"))
        return int(changed["from"]) if changed else refund.policy_version_id

    def _asked(self, refund: Refund) -> Asked | None:
        began = self.began.get((refund.pk, "refund.requested"))
        if began is None or "sheet" not in began:
            return None
        order, earlier = self.orders[refund.order_id], self._earlier(refund)
        is_merchants, role = refund.initiator == Initiator.MERCHANT, Role(refund.requested_role)
        units = tuple(self._units(refund))
        worth = Sheet.from_json(began["sheet"], {})
        return Asked(
            number=refund.number,
            at=refund.created_at,
            currency=refund.currency,
            money=self._money(order, earlier),
            sheet=worth,
            units=units,
            parcels={shipment.pk: _parcel(shipment) for shipment in self.shipments[order.pk]},
            all_sent=self._is_all_sent(order.pk, earlier, refund.created_at),
            ask=Ask.from_json(began["sheet"].get("asked", {}), {}),
            reason_code=refund.reason_code,
            goods=Goods(refund.goods),
            remedy=Remedy(refund.remedy),
            way_back=refund.way_back,
            labels=order.labels,
            is_bound=role in BOUND and not is_merchants,
            by_shop=is_merchants,
            needs_nobody=is_merchants and role in SHOPS_OWN,
            contested=refund.contests > 0,
            charged=bool(self.shares[order.pk]),
            has_credit=bool(credit_account()) and holder_of(order) is not None,
            is_part=any(o.request_id == refund.request_id and o.pk != refund.pk for o in self.refunds[order.pk]),
        )

    def _earlier(self, refund: Refund) -> list[Refund]:
        """Those of the order that had units or money when this one was asked for, as far as can be told."""
        return [one for one in self.refunds[refund.order_id] if one.pk < refund.pk and _stood(one, refund.created_at)]

    def _units(self, refund: Refund) -> Iterator[AskedUnits]:
        lines = {line.pk: line for line in self.lines[refund.order_id]}
        for row in self.units[refund.pk]:
            line = lines[row.order_line_id]
            if row.announced:
                facts = LineFacts(line.sku, line.fulfilment, line.labels)
                yield AskedUnits(line.line_id, facts, row.announced, row.shipment_id)

    def _money(self, order: Order, earlier: Iterable[Refund]) -> OrderMoney:
        """The order's before the request: what had come back before it came here, and what the earlier ones took."""
        lines = self.lines[order.pk]
        names = {line.pk: line.line_id for line in lines}
        money = _untouched(order, lines, self.shares[order.pk])
        for refund in earlier:
            units = Counter[str]()
            for row in self.units[refund.pk]:
                units[names[row.order_line_id]] += row.quantity
            money = money.after(units, Sheet.from_json(refund.sheet, units))
        return money

    def _is_all_sent(self, order_id: int, earlier: Iterable[Refund], at: datetime) -> bool:
        gone = Counter[int]()
        for shipment in self.shipments[order_id]:
            if shipment.created_at <= at:
                gone.update({row.order_line_id: row.quantity for row in self.packed[shipment.pk]})
        for row in [row for refund in earlier for row in self.units[refund.pk] if row.shipment_id is None]:
            gone[row.order_line_id] += row.quantity
        ships = [line for line in self.lines[order_id] if line.fulfilment == Fulfilment.SHIP]
        return all(gone[line.pk] + line.before_units >= line.quantity for line in ships)


def _stood(refund: Refund, at: datetime) -> bool:
    """It was not over without money by then."""
    is_released = refund.state in RELEASED_STATES and refund.finished_at is not None
    return not (is_released and refund.finished_at <= at)  # type: ignore[operator]


def _untouched(order: Order, lines: Sequence[OrderLine], shares: Sequence[PaymentShare]) -> OrderMoney:
    now = order_money(order, lines, shares=shares)
    before = tuple(
        replace(
            money,
            refunded_units=line.before_units,
            refunded_minor=line.before_minor,
            refunded_tax_minor=line.before_tax_minor,
            adjusted_minor=0,
            adjusted_tax_minor=0,
        )
        for money, line in zip(now.lines, lines, strict=True)
    )
    return replace(
        now,
        lines=before,
        shipping_refunded_minor=order.shipping_before_minor,
        shipping_tax_refunded_minor=order.shipping_before_tax_minor,
        free_minor=None,
    )


def _parcel(row: Shipment) -> PastParcel:
    return PastParcel(
        ShipmentState(row.state),
        shipped_at=row.shipped_at,
        known_at=row.created_at,
        fact_at=row.fact_at,
        delivered_at=row.delivered_at,
        stopped_at=row.sent_at,
        heard_at=row.delivery_known_at,
    )


def _by(rows: Iterable[Row], column: str) -> defaultdict[int, list[Row]]:
    found: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[getattr(row, column)].append(row)
    return found
