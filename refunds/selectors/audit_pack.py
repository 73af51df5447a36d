"""All that there is about one refund, for an auditor: read at one moment, in an order that does not change.

Personal data is left out as far as the audit can do without: who the customer is stands in the order at the shop.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from orders.models import Order, OrderLine, PaymentShare, Shipment
from refunds.books.lines import utc
from refunds.chain import Event, anchor, link
from refunds.models import (
    GatewayRefund,
    InboundWebhook,
    Incident,
    LedgerEntry,
    Notification,
    Pickup,
    Refund,
    RefundEvent,
    RefundLine,
)
from refunds.selectors.credit_notes import credit_note_data, why_none
from refunds.selectors.refunds import refund_anywhere

Table = list[dict[str, Any]]
_PRIVATE_REFUND = ("note", "rejection", "pickup_address", "event_head", "next_reconcile_at", "sheet", "conditions")
_PRIVATE_ORDER = ("shipping_address", "labels")
#: What of an event from outside is facts, and nothing else.
_WEBHOOK = (
    "gateway_refund_id",
    "number",
    "payment_reference",
    "status",
    "amount_minor",
    "currency",
    "failure_code",
    "occurred_at",
    "waybill",
    "reason",
    "receipt",
)


@dataclass(frozen=True, slots=True)
class Pack:
    """Files by name: an object, or a list of rows. `chain`: what is wrong with the events; nothing of whole ones."""

    refund: Refund
    chain: tuple[str, ...]
    files: dict[str, Any]


def audit_pack(number: str) -> Pack:
    """Whatever the channel. NotFound."""
    refund = refund_anywhere(number)
    events = list(RefundEvent.objects.filter(refund=refund).order_by("seq"))
    shares = list(PaymentShare.objects.filter(order=refund.order_id).select_related("payment").order_by("id"))
    files = {
        "refund": _row(refund, without=_PRIVATE_REFUND) | {"lines": _table(_of(RefundLine, refund))},
        "order": _order(refund.order, shares),
        "sheet": refund.sheet,
        "credit_note": {"none": reason} if (reason := why_none(refund)) else credit_note_data(refund),
        "policy": {"name": refund.policy_version.name, **_row(refund.policy_version)},
        "conditions": refund.conditions,
        "events": [_row(event) for event in events],
        "ledger": _table(_entries(refund, shares)),
        "movements": _table(_of(GatewayRefund, refund)),
        "parcels": _table(_of(Pickup, refund)),
        "messages": _table(_of(Notification, refund), without=("recipient",)),
        "webhooks": [_webhook(row) for row in _of(InboundWebhook, refund)],
        "incidents": _table(Incident.objects.filter(Q(refund=refund) | Q(refund=None, order=refund.order_id))),
    }
    return Pack(refund, tuple(_broken_links(refund, events)), files)


def _order(order: Order, shares: list[PaymentShare]) -> dict[str, Any]:
    private = tuple(f.attname for f in Order._meta.concrete_fields if f.attname.startswith("customer_"))
    payments = [_row(share) | {"payment": _row(share.payment)} for share in shares]
    return _row(order, without=(*_PRIVATE_ORDER, *private)) | {
        "channel": order.channel.slug,
        "country": order.tax_country or str(order.shipping_address.get("country", "")),
        "lines": _table(OrderLine.objects.filter(order=order), without=("labels",)),
        "payments": payments,
        "shipments": _table(Shipment.objects.filter(order=order)),
    }


def _entries(refund: Refund, shares: list[PaymentShare]) -> Any:
    """Of the refund's movements, and of its payments by others: what its money was taken from."""
    return LedgerEntry.objects.filter(share__in=shares)


def _of(model: Any, refund: Refund) -> Any:
    return model.objects.filter(refund=refund)


def _webhook(row: InboundWebhook) -> dict[str, Any]:
    told = {name: row.payload[name] for name in _WEBHOOK if name in row.payload}
    return _row(row, without=("payload",)) | {"payload": told}


def _broken_links(refund: Refund, events: list[RefundEvent]) -> Iterator[str]:
    head = anchor(refund.number)
    for place, event in enumerate(events, start=1):
        told = Event(event.seq, event.kind, event.data, event.actor, event.role, event.occurred_at)
        head = link(head, told)
        if event.seq != place:
            yield f"event {place} is missing"
        if bytes(event.hash) != head:
            yield f"event {event.seq} is not what was written"
            return
    if bytes(refund.event_head) != (head if events else b""):
        yield "the trail does not end where the refund says"


def _table(rows: Any, *, without: tuple[str, ...] = ()) -> Table:
    return [_row(row, without=without) for row in rows.order_by("pk")]


def _row(row: Any, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    names = [f.attname for f in row._meta.concrete_fields if f.attname not in without]
    return {name: _plain(getattr(row, name)) for name in names}


def _plain(value: Any) -> Any:
    if hasattr(value, "utcoffset"):
        return utc(value)
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else value
