"""How the chain takes a request: its rows by the ORM in one transaction, with which it is handed to what carries it on.

The rows are those of the product, as few statements as the ORM needs for them. A shop's own view knows what it sells:
whole orders, one payment, nothing to be decided; so there is no policy, no sheet to be drawn up, no key and no role.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from orders.models import Order, OrderLine, PaymentShare
from orders.states import OrderRefundState
from refunds.chain import Event, anchor, link
from refunds.models import GatewayRefund, LedgerEntry, PolicyVersion, Refund, RefundEvent, RefundLine

INSURANCE = timedelta(seconds=5)
WHO = {"actor": "shop", "role": "shop"}


@transaction.atomic
def request_refund(number: str, *, then: Callable[[int], object]) -> Refund:
    """`then` is called with the refund's id in the same transaction."""
    now = timezone.now()
    order = Order.objects.select_for_update(no_key=True).get(number=number)
    lines = list(OrderLine.objects.filter(order=order).order_by("position"))
    share = PaymentShare.objects.get(order=order)
    refund = _new_refund(order, lines, now)
    events = _events(refund, lines)
    refund.save(force_insert=True)
    RefundEvent.objects.bulk_create(events)
    RefundLine.objects.bulk_create([_units(refund, line) for line in lines])
    _reserve(refund, share)
    OrderLine.objects.filter(order=order).update(
        held=F("quantity"), withheld=F("quantity"), refunded_minor=F("list_minor"), refunded_tax_minor=F("tax_minor")
    )
    order.refund_state = OrderRefundState.REFUND_REQUESTED
    order.resource_version += 1
    order.save(update_fields=["refund_state", "resource_version"])
    then(refund.pk)
    return refund


def _new_refund(order: Order, lines: list[OrderLine], now: datetime) -> Refund:
    """Named after its order, so that its number needs no query."""
    entries = [
        {
            "kind": "line",
            "line_id": line.line_id,
            "label": line.name,
            "quantity": line.quantity,
            "amount_minor": line.list_minor,
        }
        for line in lines
    ]
    total = sum(line.list_minor for line in lines)
    return Refund(
        order=order,
        request_id=order.pk,
        number=f"T-{order.pk}",
        route="instant",
        requested_by=WHO["actor"],
        requested_role=WHO["role"],
        currency=order.currency,
        amount_minor=total,
        sheet={"total_minor": total, "entries": entries},
        policy_version_id=policy_version_id(),
        next_reconcile_at=now + INSURANCE,
        created_at=now,
        updated_at=now,
    )


def _events(refund: Refund, lines: list[OrderLine]) -> list[RefundEvent]:
    """What the product says of a request; the refund takes the head of their chain."""
    stopped = [{"line": line.line_id, "quantity": line.quantity} for line in lines]
    asked = {"amount_minor": refund.amount_minor, "sheet": refund.sheet}
    told: list[tuple[str, dict[str, Any]]] = [
        ("refund.requested", asked),
        ("shipment.stop_requested", {"lines": stopped}),
    ]
    rows, refund.event_head = [], anchor(refund.number)
    for seq, (kind, data) in enumerate(told, start=1):
        event = Event(seq, kind, data, WHO["actor"], WHO["role"], refund.created_at)
        refund.event_seq, refund.event_head = seq, link(refund.event_head, event)
        about = {"seq": seq, "kind": kind, "data": data, "occurred_at": refund.created_at}
        rows.append(RefundEvent(refund=refund, hash=refund.event_head, **about, **WHO))
    return rows


def _units(refund: Refund, line: OrderLine) -> RefundLine:
    n = line.quantity
    return RefundLine(
        refund=refund, order_line=line, quantity=n, announced=n, amount_minor=line.list_minor, tax_minor=line.tax_minor
    )


def _reserve(refund: Refund, share: PaymentShare) -> None:
    amount, now = refund.amount_minor, refund.created_at
    movement = GatewayRefund.objects.create(
        refund=refund, share=share, number=f"{refund.number}-1", amount_minor=amount, currency=refund.currency
    )
    about = {"share": share, "gateway_refund": movement, "amount_minor": amount, "occurred_at": now, "recorded_at": now}
    LedgerEntry.objects.bulk_create([LedgerEntry(kind="reserve", **about)])
    share.reserved_minor += amount
    share.save(update_fields=["reserved_minor"])


@cache
def policy_version_id() -> int:
    """Every refund has one; which, the chain does not care."""
    return PolicyVersion.objects.values_list("pk", flat=True).earliest("pk")
