"""How an order is shown to clients: what it is, and what of it can still be refunded."""

from collections.abc import Sequence
from typing import Any

from orders.errors import Problem
from orders.models import Order, OrderLine, Payment, PaymentShare, Shipment, ShipmentLine
from orders.selectors.left import Left, Limited, left_of
from orders.selectors.orders import OrderPage
from refunds.models import Refund
from refunds.numbers import request_number
from refunds.routing import NEAREST_FIRST, UnitsAt, route
from refunds.selectors.taken_back import Barred, barred_detail, window_ends
from refunds.services.parts import channel_closing, why_gone
from refunds.states import Goods


def order_head(order: Order, channel: str) -> dict[str, Any]:
    """The order without what belongs to it."""
    return {
        "number": order.number,
        "channel": channel,
        "state": order.state,
        "refund_state": order.refund_state,
        "currency": order.currency,
        "total_minor": order.total_minor,
        "version": order.version,
        "resource_version": order.resource_version,
    }


def whole_order(page: OrderPage, *, channel: str) -> dict[str, Any]:
    left = left_of(page)
    shown = sorted((line for line in page.lines if line.quantity), key=lambda line: line.position)
    return (
        order_head(page.order, channel)
        | _facts(page.order)
        | {
            "lines": [_line(line) | {"refundable": _refundable(page, line, left)} for line in shown],
            "payments": [_payment(share, page.payments[share.payment_id]) for share in page.shares],
            "shipments": [_shipment(page, shipment) for shipment in page.shipments],
            "refunds": [_refund(refund) for refund in page.refunds],
            "overpaid_minor": page.overpaid_minor,
            "refundable": {
                "amount_minor": min(left.total_minor, left.money_minor),
                "shipping_minor": 0 if left.short else left.shipping_minor,
                "why_not": _nothing_open(page, left),
            },
        }
    )


def _nothing_open(page: OrderPage, left: Left) -> dict[str, Any] | None:
    if page.is_closing:
        return _as_refused(channel_closing())
    if left.short:
        return _no_money(left)
    barred = [(line, [one.barred for one in left.limited[line.line_id]]) for line in page.lines]
    first = next(((line, found) for line, found in barred if found), None)
    return _barred(*first) if first and not any(left.open.values()) else None


def _as_refused(problem: Problem) -> dict[str, Any]:
    return {"code": problem.code, "detail": problem.detail}


_FOR_TAX = ("legal_entity", "tax_country")


def _invoice(order: Order) -> dict[str, Any] | None:
    return {"number": order.invoice_number, "issued_at": order.invoice_issued_at} if order.invoice_number else None


def _facts(order: Order) -> dict[str, Any]:
    customer = ("name", "email", "phone", "locale", "reference")
    shipping = ("shipping_minor", "shipping_tax_minor", "shipping_supplement_minor", "shipping_address")
    same = (
        "labels",
        "prices_include_tax",
        "discounts",
        *shipping,
        "non_refundable_minor",
        "points_earned",
        "replaces",
        *_FOR_TAX,
    )
    times = ("ordered_at", "expected_ship_at", "created_at", "updated_at")
    facts = {name: getattr(order, name) for name in (*same, *times)}
    facts["invoice"] = _invoice(order)
    facts["shipping_refunded_before_minor"] = order.shipping_before_minor
    return facts | {"customer": {name: getattr(order, f"customer_{name}") for name in customer}}


def _line(line: OrderLine) -> dict[str, Any]:
    same = ("sku", "name", "quantity", "fulfilment", "unit_price_minor", "tax_minor", "tax_rate", "labels")
    counts = ("shipped", "delivered", "held", "refunded", "refunded_minor", "adjusted_minor")
    facts = {name: getattr(line, name) for name in (*same, "gift_for", "bundle", *counts)}
    facts["refunded_before"] = {"quantity": line.before_units, "amount_minor": line.before_minor}
    return {"id": line.line_id, "line_total_minor": line.list_minor} | facts


def _refundable(page: OrderPage, line: OrderLine, left: Left) -> dict[str, Any]:
    """What a request for all that is left of the line, for no reason and as far as the money goes, would find; nearest
    units first."""
    quantity, amount_minor = left.by_line[line.line_id]
    routes = _routes(left.open[line.line_id], quantity)
    return {
        "quantity": quantity,
        "amount_minor": amount_minor,
        "route": routes[0]["route"] if routes else None,
        "routes": routes,
        "why_not": None if routes else _why_not(page, line, left),
        "until": window_ends(left.free[line.line_id], page.parcels_seen),
        "excluded_by": _excluded_by(line, left),
        "limited": [_limited(one) for one in left.limited[line.line_id]],
    }


def _excluded_by(line: OrderLine, left: Left) -> str | None:
    """The rule by which the policy takes none of it back, unless it is somebody's fault."""
    rules = [one.barred.why.rule for one in left.limited[line.line_id]]
    return rules[0] if rules and all(rules) and not left.open[line.line_id] else None


def _limited(one: Limited) -> dict[str, Any]:
    barred = one.barred
    return {
        "code": barred.why.code,
        "rule": barred.why.rule or None,
        "until": barred.why.until,
        "quantity": one.quantity,
        "reasons": list(barred.reasons),
        "not_received": barred.unless_faulty,
        "reasons_until": barred.until,
        "amount_minor": one.amount_minor,
        "routes": _routes(barred.units, one.quantity) if barred.reasons else [],
    }


def _routes(free: Sequence[UnitsAt], quantity: int) -> list[dict[str, Any]]:
    routes = []
    for units in sorted(free, key=lambda units: NEAREST_FIRST.index(units.place)):
        if taken := min(units.quantity, quantity):
            routes.append({"route": route(units, Goods.RETURN).value, "quantity": taken})
            quantity -= taken
    return routes


def _why_not(page: OrderPage, line: OrderLine, left: Left) -> dict[str, Any]:
    if left.open[line.line_id]:
        return _no_money(left) | {"refunds": []}
    if barred := [one.barred for one in left.limited[line.line_id]]:
        return _barred(line, barred) | {"refunds": []}
    price = left.prices[line.line_id]
    code = why_gone(line, price)
    if page.is_closing and (left.free[line.line_id] or code == "refunded_in_part"):
        return _as_refused(channel_closing()) | {"refunds": []}
    detail = _GONE[code] % price.amount_minor if code == "refunded_in_part" else _GONE[code]
    return {"code": code, "detail": detail, "refunds": page.holders(line)}


def _barred(line: OrderLine, barred: Sequence[Barred]) -> dict[str, Any]:
    """As a request for it is refused that gives no reason."""
    first = barred[0]
    detail = barred_detail(line.line_id, first.why, unless_faulty=first.unless_faulty)
    return {"code": first.why.code, "detail": detail}


_GONE = {
    "in_refund": "Every unit of this line is in a refund already.",
    "refunded": "Every unit of this line has been refunded already.",
    "refunded_in_part": "Every unit of this line has been in a refund; %d of its price (minor units) was not paid "
    "back, and can be asked for by amount.",
}


def _no_money(left: Left) -> dict[str, Any]:
    """As a request for all that is left would be refused."""
    code = "money_not_left" if left.captured else "not_captured"
    detail = f"What is left costs {left.total_minor}, {left.money_minor} of the captured money is left."
    return {"code": code, "detail": detail}


def _payment(share: PaymentShare, payment: Payment) -> dict[str, Any]:
    taken = ("reserved_minor", "refunded_minor", "disputed_minor", "excess_minor")
    sums = ("captured_minor", "carried_minor", *taken, "free_minor")
    return {
        "gateway": payment.account,
        "reference": payment.reference,
        "method": payment.method,
        "currency": payment.currency,
        **{name: getattr(share, name) for name in sums},
        "refunded_before_minor": share.before_minor,
        "authorized_minor": payment.authorized_minor,
        "captured_at": payment.captured_at,
    }


def _shipment(page: OrderPage, shipment: Shipment) -> dict[str, Any]:
    inside = [parcel for parcel in page.parcels if parcel.shipment_id == shipment.pk]
    return shipment_head(shipment) | {
        "assumed_delivered": page.is_assumed_delivered(shipment),
        "lines": [_parcel_line(page, parcel) for parcel in inside],
    }


def _parcel_line(page: OrderPage, parcel: ShipmentLine) -> dict[str, Any]:
    return {"id": page.line_names[parcel.order_line_id], "quantity": parcel.quantity}


def shipment_head(shipment: Shipment) -> dict[str, Any]:
    same = ("id", "reference", "carrier", "tracking_number", "state", "left", "shipped_at", "delivered_at")
    return {name: getattr(shipment, name) for name in same}


def _refund(refund: Refund) -> dict[str, Any]:
    same = ("number", "state", "route", "amount_minor", "currency", "created_at", "finished_at")
    return {name: getattr(refund, name) for name in same} | {
        "request": request_number(refund.number, refund.request_id)
    }
