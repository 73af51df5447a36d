"""Asking for refunds: many wishes, decided and written in a constant number of statements; a single one is a list.

Under the orders' locks units are taken by place, one refund per route, the sheet says how much, the payment shares
pay. The request is durable when its transaction commits; the engine does the rest.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from orders.errors import NotFound, Problem
from orders.locks import WEB_WAIT_MS, lock_orders_numbered
from orders.models import Channel, OrderLine, Shipment
from orders.roles import Actor
from orders.states import Fulfilment
from refunds import records
from refunds.actions import Action, permit
from refunds.models import GatewayRefund, Refund, RefundLine
from refunds.money import allocate
from refunds.numbers import number_beside, refund_number, request_number
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt
from refunds.selectors.places import find_orders, free_units
from refunds.selectors.policies import policies_and_ids, policies_at, policy_of
from refunds.selectors.refunds import join
from refunds.selectors.zoned import policy_in
from refunds.services.asked_remedy import refuse_remedy, refuse_unsent
from refunds.services.attempts import refuse_asked_too_often, rejected_before
from refunds.services.beside import Beside
from refunds.services.docket import Docket
from refunds.services.parts import channel_closing, left_out, plan_parts
from refunds.services.rows import new_movement
from refunds.services.targets import Given, Tellers, sources, target_of
from refunds.services.wakes import INSURANCE, wake_refunds
from refunds.services.wishes import AdjustmentWish, Contested, LeftOut, LineWish, Part, RefundWish, Stock
from refunds.states import Goods, Place, Remedy, Route, Stop

__all__ = [
    "AdjustmentWish",
    "LineWish",
    "Part",
    "Preview",
    "RefundWish",
    "Requested",
    "preview_refund",
    "request_refunds",
]


@dataclass(frozen=True, slots=True)
class Requested:
    """`request` is the number customers see; one refund per route, whole as `selectors.refunds` reads them."""

    request: str
    refunds: tuple[Refund, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a request would come to. `left_out`: the lines of which a wish for all would get nothing, and why."""

    currency: str
    total_minor: int
    parts: tuple[Part, ...]
    payments: tuple[Given, ...]
    left_out: tuple[LeftOut, ...] = ()


def request_refunds(wishes: Sequence[RefundWish]) -> list[Requested | Problem]:
    """Write the refunds wished for, within the caller's transaction if there is one; a Problem for each that cannot be.

    A wish that fails changes nothing and does not touch the others. Raises LockNotHad when an order stays locked
    by somebody else, after which the transaction can only be rolled back.
    """
    with transaction.atomic(savepoint=False):
        desk = _Desk(wishes)
        results = [desk.serve(wish) for wish in wishes]
        desk.docket.write()
        _join(desk.docket)
        wake_refunds([refund.id for refund in desk.docket.changes.new_refunds])
    return results


def preview_refund(wish: RefundWish) -> Preview:
    """What the wish would come to, by the very rules of the request. Nothing is stored. Raises Problem."""
    permit(Action.PREVIEW, wish.actor)
    found = find_orders([(wish.channel_id, wish.order_number)])
    orders = _Orders(found, *policies_at(found.values()))
    stock = orders.stock(wish)
    parts = plan_parts(wish, stock)
    refuse_unsent(wish, parts)
    tellers = Tellers(orders.docket, stock.order, orders.beside)
    tellers.refuse(parts)
    return Preview(
        currency=stock.order.currency,
        total_minor=sum(part.sheet.total_minor for part in parts),
        parts=tuple(parts),
        payments=tuple(tellers.given(parts)),
        left_out=left_out(wish, stock),
    )


class _Orders:
    """The orders that wishes are about, by channel id and number: what they are, and what of them is free."""

    def __init__(self, found: Mapping[tuple[int, str], int], versions: Mapping[int, int], now: datetime) -> None:
        self.found, self.versions = found, versions
        self.docket = Docket(found.values(), now=now)
        self.beside = Beside(self.docket)
        readings = {order_id: policy_of(version).reading(now) for order_id, version in self.versions.items()}
        self.free = free_units(self.docket.lines.values(), readings)

    def stock(self, wish: RefundWish) -> Stock:
        """The order the wish is about, and where its money is to go. Raises Problem."""
        docket = self.docket
        order = docket.orders.get(self.found.get((wish.channel_id, wish.order_number), 0))
        if order is None:
            raise NotFound("order_not_found", "There is no such order.")
        channel = docket.channel_of(order)
        if channel.closing_at and not wish.contests:
            raise channel_closing(is_gone=channel.retired_at is not None)
        policy = policy_in(self.versions[order.id], channel.time_zone)
        refuse_remedy(wish, policy)
        return Stock(
            order=order,
            lines=docket.lines_of(order.id),
            shares=docket.shares_of(order.id),
            refunds=docket.refunds_of[order.id],
            free=self.free.get(order.id, []),
            policy=policy,
            sources=sources(docket, order, policy, target=target_of(order, wish, policy)),
            beside=self.beside,
            now=docket.now,
        )


class _Desk:
    """One batch of wishes on the locked orders; each wish finds what the ones before it have left."""

    def __init__(self, wishes: Sequence[RefundWish]) -> None:
        names = [(w.channel_id, w.order_number) for w in wishes]
        found = lock_orders_numbered(names, wait_ms=WEB_WAIT_MS)
        versions, now, drawn = policies_and_ids(found.values())
        self.orders = _Orders(found, versions, now)
        self.docket = self.orders.docket
        self.refund_ids, self.movement_ids = records.id_sources(Refund, GatewayRefund, block=len(wishes), drawn=drawn)

    def serve(self, wish: RefundWish) -> Requested | Problem:
        try:
            permit(wish.action, wish.actor)
            stock = self.orders.stock(wish)
            parts = plan_parts(wish, stock)
            refuse_unsent(wish, parts)
            Tellers(self.docket, stock.order, self.orders.beside).refuse(parts)
            rejected = rejected_before(stock, parts)
            refuse_asked_too_often(wish, stock, rejected)
        except Problem as problem:
            return problem
        self.orders.free[stock.order.id] = _without(stock.free, [u for part in parts for u in part.units])
        ids = [next(self.refund_ids) for _ in parts]
        request_id = wish.contests.refund.request_id if wish.contests else ids[0]
        refunds = [
            self._enter(wish, stock, part, refund_id, request_id) for part, refund_id in zip(parts, ids, strict=True)
        ]
        for refund in refunds:
            refund.rejected_by = refund.rejected_by or (rejected[-1].rejected_by if rejected else "")
        return Requested(request_number(refunds[0].number, request_id), tuple(refunds))

    def _enter(self, wish: RefundWish, stock: Stock, part: Part, refund_id: int, request_id: int) -> Refund:
        now = self.docket.now
        refund = records.new(
            Refund,
            id=refund_id,
            order_id=stock.order.id,
            request_id=request_id,
            number=_number(wish, self.docket.channel_of(stock.order), refund_id),
            route=part.route.value,
            goods=(wish.goods if part.units else Goods.KEEP).value,
            reason_code=wish.reason_code,
            note=wish.note,
            pickup_address=wish.pickup_address,
            boxes=wish.boxes,
            way_back=str(wish.way_back or stock.policy.way_back),
            requested_by=wish.actor.reference,
            requested_role=wish.actor.role.value,
            initiator=wish.initiator.value,
            currency=stock.order.currency,
            amount_minor=part.sheet.total_minor,
            sheet=part.sheet.to_json(),
            conditions=[],
            policy_version_id=self.orders.versions[stock.order.id],
            stop=_stop(part, stock.policy).value,
            remedy=(wish.remedy if part.units and part.route is not Route.INSTANT else Remedy.MONEY).value,
            **_contested(wish.contests),
            next_reconcile_at=now + INSURANCE,
            created_at=now,
            updated_at=now,
        )
        movements = [*self._movements(refund, part)]
        self.docket.enter(refund, _refund_lines(refund, part, stock.lines), movements, actor=wish.actor)
        self._stop_shipment(refund, part, wish.actor)
        return refund

    def _movements(self, refund: Refund, part: Part) -> Iterator[GatewayRefund]:
        for n, gives in enumerate(part.shares, start=1):
            new_id = next(self.movement_ids)
            movement = new_movement(refund, n, new_id=new_id, share_id=gives.share_id, amount_minor=gives.amount_minor)
            movement.target = gives.target
            yield movement

    def _stop_shipment(self, refund: Refund, part: Part, actor: Actor) -> None:
        """The shop sees in the feed which units it must not ship any more."""
        held = [u for u in part.units if u.place is Place.UNSHIPPED and u.fulfilment is Fulfilment.SHIP]
        if held:
            lines = [{"line": u.line_id, "quantity": u.quantity} for u in held]
            self.docket.record(refund, "shipment.stop_requested", {"lines": lines}, actor)


def _stop(part: Part, policy: PolicySpec) -> Stop:
    asks = part.route is Route.INSTANT and policy.awaits_stop(part.sheet.total_minor)
    return Stop.AWAITED if asks else Stop.ASSUMED


def _number(wish: RefundWish, channel: Channel, refund_id: int) -> str:
    if wish.contests:
        return number_beside(wish.contests.refund.number, refund_id)
    return refund_number(settings.NUMBER_PREFIX, refund_id, channel=channel.number_prefix)


def _contested(contested: Contested | None) -> dict[str, Any]:
    """Of a refund that contests another: whoever decided that does not decide this."""
    if contested is None:
        return {}
    before = contested.refund
    looked = {"received_at": before.received_at, "inspected_at": before.inspected_at} if contested.inspected else {}
    return looked | {"contest_of_id": before.pk, "contests": before.contests, "rejected_by": before.rejected_by}


def _refund_lines(refund: Refund, part: Part, lines: Sequence[OrderLine]) -> list[RefundLine]:
    by_id = {line.line_id: line for line in lines}
    rows = [
        records.new(
            RefundLine,
            refund_id=refund.id,
            order_line_id=by_id[line_id].id,
            quantity=0,
            announced=0,
            amount_minor=off.amount_minor,
            tax_minor=off.tax_minor,
        )
        for line_id, off in part.sheet.adjustments.items()
    ]
    for line_id, worth in part.sheet.lines.items():
        places = [u for u in part.units if u.line_id == line_id]
        amounts = allocate(worth.amount_minor, [u.quantity for u in places])
        taxes = allocate(worth.tax_minor, [u.quantity for u in places])
        rows += [
            records.new(
                RefundLine,
                refund_id=refund.id,
                order_line_id=by_id[line_id].id,
                shipment_id=units.shipment_id,
                quantity=units.quantity,
                announced=units.quantity,
                amount_minor=amount,
                tax_minor=tax,
            )
            for units, amount, tax in zip(places, amounts, taxes, strict=True)
        ]
    return rows


def _join(docket: Docket) -> None:
    """Tie the rows just written to each other, as a reader wants them."""
    new = docket.changes
    shipments = {s.id: s for s in records.load(Shipment, "id", {u.shipment_id for u in new.new_units if u.shipment_id})}
    for unit in new.new_units:
        unit.order_line, unit.shipment = docket.lines[unit.order_line_id], shipments.get(unit.shipment_id or 0)
    for movement in new.new_movements:
        movement.share = docket.shares[movement.share_id]
        movement.share.payment = docket.payment_of(movement)
    for refund in new.new_refunds:
        order = docket.orders[refund.order_id]
        units, movements = docket.units[refund.id], docket.movements[refund.id]
        join(refund, order=order, channel=docket.channel_of(order), lines=units, gateway_refunds=movements)


def _without(free: Sequence[UnitsAt], taken: Collection[UnitsAt]) -> list[UnitsAt]:
    gone = Counter[tuple[str, int | None]]()
    for u in taken:
        gone[u.line_id, u.shipment_id] += u.quantity
    left = [(u, u.quantity - gone[u.line_id, u.shipment_id]) for u in free]
    return [UnitsAt(u.line_id, u.place, n, u.shipment_id, u.fulfilment) for u, n in left if n]
