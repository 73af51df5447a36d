"""PUT of an order: the shop states the whole, and what is stored becomes that, or nothing changes.

Lines are matched by id and never recreated. Nothing falls below what is shipped, held, reserved or refunded.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Model

from orders import clock
from orders.errors import Conflict, FieldError
from orders.locks import WEB_WAIT_MS, lock_orders
from orders.models import Channel, Order, OrderLine
from orders.roles import Actor, Role
from orders.services.before import first_refund_state, put_before
from orders.services.facts import DiscountFact, LineFact, OrderFacts, check_facts, refuse, require_role
from orders.services.guards import refuse_below, refuse_other_fulfilment
from orders.services.held import HeldOrder, hold_order, project, shares_of
from orders.services.payments import flag_late_money, put_payments
from orders.services.sets import bad_sets, ids_by_name
from orders.services.stood import before, keep
from orders.states import OrderRefundState
from refunds.money import check_order, paid_minor
from refunds.records import insert, insert_objects, new_ids, update
from refunds.selectors.places import find_orders
from refunds.services.authorisations import end_holds
from refunds.services.exchanges import Replaced, exchange, find_replaced, refuse_replaced
from refunds.services.rows import order_money

ORDER_COLUMNS = ("id", *(field.attname for field in Order._meta.concrete_fields if not field.primary_key))
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
    "tax_rate",
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
    refuse(bad_sets(facts))
    name = (channel_id, facts.number)
    order_id = find_orders([name]).get(name)
    replaced = find_replaced(facts.replaces, channel_id=channel_id, by=order_id) if facts.replaces else None
    if replaced:
        facts = replace(facts, replaces=replaced.number)
        lock_orders([replaced.order_id, *([order_id] if order_id else [])], wait_ms=WEB_WAIT_MS)
        refuse_replaced(replaced, by=facts.number)
    if order_id is None:
        if created := _create(facts, channel_id=channel_id, now=now):
            return _replacing(created, replaced, actor)
        order_id = find_orders([name])[name]
    held = hold_order(order_id)
    replaced = None if held.order.replaces else replaced
    return _replacing(_change(facts, held, now=now), replaced, actor)


def _replacing(put: PutOrder, replaced: Replaced | None, actor: Actor) -> PutOrder:
    """Stated for the first time to replace something, it gets the money of that."""
    if replaced:
        exchange(replaced, put.order, shares_of(put.order.pk), actor=actor)
    return put


def _create(facts: OrderFacts, *, channel_id: int, now: datetime) -> PutOrder | None:
    """The order as a new one; None when another client has made it in this moment."""
    _refuse_closing(channel_id)
    order = Order(channel_id=channel_id, number=facts.number, currency=facts.currency, resource_version=0)
    order.ordered_at, order.created_at, order.updated_at, order.version = now, now, now, facts.version
    held = HeldOrder(order, lines=[], shares=[])
    _, lines = _state(facts, held)
    project(held)
    order.refund_state = first_refund_state(facts, order, lines)
    [order.pk] = new_ids(Order, 1)
    row = [getattr(order, column) for column in ORDER_COLUMNS]
    if not insert(Order, ORDER_COLUMNS, [row], " ON CONFLICT (channel_id, number) DO NOTHING"):
        return None
    lock_orders([order.pk])
    _write_lines(order, lines)
    put_payments(facts, held, now=now)
    return PutOrder(order, created=True, changed=True)


def _refuse_closing(channel_id: int) -> None:
    if Channel.objects.filter(pk=channel_id, closing_at__isnull=False).exists():
        raise Conflict("channel_closing", "The channel is being closed: it takes no new orders.")


def _change(facts: OrderFacts, held: HeldOrder, *, now: datetime) -> PutOrder:
    order = held.order
    _refuse_older(facts, order)
    order_differs, lines = _state(facts, held)
    _note_contact(order, order_differs, now)
    _write_lines(order, lines)
    payments_differ = put_payments(facts, held, now=now)
    changed = bool(order_differs or lines or payments_differ)
    newer = facts.version not in (None, order.version)
    if changed and not newer and facts.version is not None:
        detail = f"Version {facts.version} is stored with other content: raise the version to change the order."
        raise Conflict("version_conflict", detail, version=order.version)
    if changed or newer:
        order.version = facts.version if newer else order.version
        if order.refund_state == OrderRefundState.NONE:
            order.refund_state = first_refund_state(facts, order, held.lines)
        project(held)
        if payments_differ:
            flag_late_money(held, now=now)
        order.updated_at = now
        update(Order, ORDER_COLUMNS[1:], [order])
        if held.ended_holds:
            end_holds(order.pk, held.ended_holds)
    return PutOrder(order, created=False, changed=changed)


def _refuse_older(facts: OrderFacts, order: Order) -> None:
    if None not in (facts.version, order.version) and (facts.version or 0) < (order.version or 0):
        detail = f"Version {facts.version} is older than {order.version}, which is stored: nothing was changed."
        raise Conflict("older_version", detail, version=order.version)


def _state(facts: OrderFacts, held: HeldOrder) -> tuple[dict[str, Any], list[OrderLine]]:
    """Bring the rows in memory to what is stated, if it may be: what differs of the order, and the lines that do."""
    order = held.order
    if order.currency != facts.currency:
        detail = f"The order is in {order.currency}, not in {facts.currency}: an order keeps its currency."
        raise Conflict("currency_fixed", detail)
    _refuse_another_replaced(facts, order)
    if stood := before(held):
        keep(order, stood)
    order_differs = _assign(order, _order_values(facts, order))
    lines = _state_lines(facts, held)
    _check_money(facts, held)
    put_before(facts, held)
    refuse_below(facts, held, stood)
    return order_differs, lines


def _refuse_another_replaced(facts: OrderFacts, order: Order) -> None:
    if order.replaces and facts.replaces not in ("", order.replaces):
        detail = f"The order replaces the goods of {order.replaces}, and goes on doing so."
        raise Conflict("replaces_fixed", detail, errors=(FieldError("replaces", "replaces_fixed", detail),))


def _note_contact(order: Order, differs: Mapping[str, Any], now: datetime) -> None:
    """A phone or an address that has just been stated proves nothing for a while."""
    if "customer_phone" in differs:
        order.phone_changed_at = now
    if "customer_email" in differs:
        order.email_changed_at = now


def _write_lines(order: Order, lines: list[OrderLine]) -> None:
    new = [line for line in lines if line.pk is None]
    update(OrderLine, LINE_COLUMNS, [line for line in lines if line.pk is not None])
    for line in new:
        line.order_id = order.pk
    insert_objects(new)


def _state_lines(facts: OrderFacts, held: HeldOrder) -> list[OrderLine]:
    """Every line as stated; the rows that are new or differ from what was stored, those removed among them."""
    stored = held.by_line_id
    named = {line.key for line in facts.lines}
    touched = [line for line in held.lines if line.line_id not in named and _assign(line, REMOVED)]
    ids = ids_by_name(facts.lines)
    for position, fact in enumerate(facts.lines):
        line = stored.get(fact.key) or OrderLine(line_id=fact.key)
        differs = _assign(line, _line_values(fact, position, ids))
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
        "discounts": [_discount_value(discount, ids_by_name(facts.lines)) for discount in facts.discounts],
        "shipping_minor": facts.shipping_minor,
        "shipping_tax_minor": facts.shipping_tax_minor,
        "shipping_supplement_minor": facts.shipping_supplement_minor,
        "non_refundable_minor": facts.non_refundable_minor,
        "points_earned": facts.points_earned,
        "shipping_address": facts.shipping_address,
        "invoice_number": facts.invoice.number if facts.invoice else order.invoice_number,
        "invoice_issued_at": facts.invoice.issued_at if facts.invoice else order.invoice_issued_at,
        "legal_entity": facts.legal_entity,
        "tax_country": facts.tax_country,
        "replaces": facts.replaces or order.replaces,
        "ordered_at": facts.ordered_at or order.ordered_at,
        "expected_ship_at": facts.expected_ship_at,
    }


def _discount_value(discount: DiscountFact, ids: dict[str, str]) -> dict[str, Any]:
    """As stored: lines by id, where a sku that one line alone has names that line."""
    for_lines = None if discount.lines is None else [ids.get(name, name) for name in discount.lines]
    return asdict(discount) | {"lines": for_lines}


def _line_values(fact: LineFact, position: int, ids: dict[str, str]) -> dict[str, Any]:
    same = {name: getattr(fact, name) for name in LINE_COLUMNS if name not in ("position", "fulfilment")}
    others = {"position": position, "fulfilment": fact.fulfilment.value}
    return same | others | {"gift_for": ids.get(fact.gift_for, "")}


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
    if facts.non_refundable_minor > paid:
        detail = f"is {facts.non_refundable_minor}, but lies within the total, which is {paid}"
        refuse([FieldError("non_refundable_minor", "deposit_above_total", detail)])
