"""PUT of an order: the shop states the whole, and what is stored becomes that, or nothing changes.

Lines are matched by id and never recreated. Nothing falls below what is shipped, held, reserved or refunded.
"""

from collections import Counter
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db.models import Model

from orders import clock
from orders.errors import Conflict, FieldError
from orders.models import Order, OrderLine
from orders.roles import Actor, Role
from orders.services.facts import DiscountFact, LineFact, OrderFacts, check_facts, refuse, require_role
from orders.services.guards import refuse_below, refuse_other_fulfilment
from orders.services.held import HeldOrder, hold_order, project
from orders.services.payments import put_payments
from refunds.money import check_order, paid_minor
from refunds.services.rows import order_money

PUT_ROLES = (Role.SHOP, Role.SYSTEM)
LINE_COLUMNS = (
    "position",
    "sku",
    "name",
    "quantity",
    "fulfilment",
    "unit_price_minor",
    "list_minor",
    "tax_minor",
    "labels",
    "gift_for",
    "bundle",
)
#: What a line costs and counts once it is no longer in the order; its row stays, for what points at it.
REMOVED = {"quantity": 0, "list_minor": 0, "tax_minor": 0}


@dataclass(frozen=True, slots=True)
class PutOrder:
    """`changed` is False when the order already was what was stated."""

    order: Order
    created: bool
    changed: bool


def put_order(facts: OrderFacts, *, channel_id: int, actor: Actor) -> PutOrder:
    """Make the order what the shop states. Runs in the caller's transaction."""
    require_role(actor, PUT_ROLES, "state orders")
    now = clock.now()
    check_facts(facts, now)
    held = hold_order(_order_row(facts, channel_id=channel_id, now=now))
    created = held.order.resource_version == 0
    _refuse_older(facts, held.order)
    changed = _state(facts, held, now=now)
    if created or changed:
        _refuse_same_version(facts, held.order, created=created)
        held.order.version = held.order.version if facts.version is None else facts.version
        project(held)
        held.order.updated_at = now
        held.order.save()
    return PutOrder(held.order, created=created, changed=created or changed)


def _order_row(facts: OrderFacts, *, channel_id: int, now: datetime) -> int:
    """The order's id. A new row says resource_version 0, which nobody else ever sees, until its facts are in."""
    orders = Order.objects.filter(channel_id=channel_id, number=facts.number)
    known = orders.values_list("id", flat=True).first()
    if known is None:
        bare = Order(channel_id=channel_id, number=facts.number, currency=facts.currency, resource_version=0)
        bare.ordered_at, bare.created_at, bare.updated_at = facts.ordered_at or now, now, now
        Order.objects.bulk_create([bare], ignore_conflicts=True)
        known = orders.values_list("id", flat=True).get()
    return known


def _refuse_older(facts: OrderFacts, order: Order) -> None:
    if None not in (facts.version, order.version) and (facts.version or 0) < (order.version or 0):
        detail = f"Version {facts.version} is older than {order.version}, which is stored: nothing was changed."
        raise Conflict("older_version", detail, version=order.version)


def _refuse_same_version(facts: OrderFacts, order: Order, *, created: bool) -> None:
    if not created and facts.version is not None and facts.version == order.version:
        detail = f"Version {facts.version} is stored with other content: raise the version to change the order."
        raise Conflict("version_conflict", detail, version=order.version)


def _state(facts: OrderFacts, held: HeldOrder, *, now: datetime) -> bool:
    """Bring the rows to what is stated; whether anything was different."""
    order = held.order
    if order.currency != facts.currency:
        detail = f"The order is in {order.currency}, not in {facts.currency}: an order keeps its currency."
        raise Conflict("currency_fixed", detail)
    order_differs = _assign(order, _order_values(facts, order))
    lines = _state_lines(facts, held)
    _check_money(facts, held)
    refuse_below(held)
    OrderLine.objects.bulk_create(line for line in lines if line.pk is None)
    OrderLine.objects.bulk_update([line for line in lines if line.pk is not None], LINE_COLUMNS)
    payments_differ = put_payments(facts, held, now=now)
    return bool(order_differs or lines or payments_differ)


def _state_lines(facts: OrderFacts, held: HeldOrder) -> list[OrderLine]:
    """Every line as stated; the rows that are new or differ from what was stored, those removed among them."""
    stored = held.by_line_id
    named = {line.key for line in facts.lines}
    touched = [line for line in held.lines if line.line_id not in named and _assign(line, REMOVED)]
    for position, fact in enumerate(facts.lines):
        line = stored.get(fact.key) or OrderLine(order=held.order, line_id=fact.key)
        differs = _assign(line, _line_values(fact, position))
        refuse_other_fulfilment(line, differs)
        if differs or line.pk is None:
            touched.append(line)
        if line.pk is None:
            held.lines.append(line)
    return touched


def _assign(row: Model, values: dict[str, Any]) -> dict[str, Any]:
    """Set the columns; those that differed, with what they were."""
    before = {column: getattr(row, column) for column in values}
    for column, value in values.items():
        setattr(row, column, value)
    return {column: old for column, old in before.items() if old != values[column]}


def _order_values(facts: OrderFacts, order: Order) -> dict[str, Any]:
    customer = {f"customer_{name}": value for name, value in asdict(facts.customer).items()}
    return customer | {
        "labels": facts.labels,
        "prices_include_tax": facts.prices_include_tax,
        "discounts": [_discount_value(discount, facts.lines) for discount in facts.discounts],
        "shipping_minor": facts.shipping_minor,
        "shipping_tax_minor": facts.shipping_tax_minor,
        "shipping_address": facts.shipping_address,
        "ordered_at": facts.ordered_at or order.ordered_at,
        "expected_ship_at": facts.expected_ship_at,
    }


def _discount_value(discount: DiscountFact, lines: tuple[LineFact, ...]) -> dict[str, Any]:
    """As stored: lines by id, where a sku that one line alone has names that line."""
    skus = Counter(line.sku for line in lines)
    ids = {line.sku: line.key for line in lines if skus[line.sku] == 1} | {line.key: line.key for line in lines}
    for_lines = None if discount.lines is None else [ids.get(name, name) for name in discount.lines]
    return {
        "label": discount.label,
        "amount_minor": discount.amount_minor,
        "lines": for_lines,
        "funded_by": discount.funded_by,
    }


def _line_values(fact: LineFact, position: int) -> dict[str, Any]:
    same = {name: getattr(fact, name) for name in LINE_COLUMNS if name not in ("position", "fulfilment")}
    return same | {"position": position, "fulfilment": fact.fulfilment.value}


def _check_money(facts: OrderFacts, held: HeldOrder) -> None:
    """The amounts fit together, and add up to the total where the shop states it."""
    stored = held.by_line_id
    money = order_money(held.order, [stored[line.key] for line in facts.lines])
    refuse(check_order(money))
    held.order.total_minor = paid = paid_minor(money)
    if facts.total_minor not in (None, paid):
        difference = (facts.total_minor or 0) - paid
        detail = f"is {facts.total_minor}; lines, discounts, tax and shipping make {paid}: a difference of {difference}"
        refuse([FieldError("total_minor", "total_mismatch", detail)])
