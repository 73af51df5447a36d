"""What a docket is about to write: rows new and changed, set by set, which go out together (`records.together`)."""

from dataclasses import dataclass, field
from typing import Any

from orders.models import Order, OrderLine, PaymentShare, Shipment
from refunds import records
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
from refunds.services.rows import CALL_COLUMNS

_ORDER = ("state", "refund_state", "resource_version", "shipping_refunded_minor", "shipping_tax_refunded_minor")
_LINE_MONEY = ("refunded_minor", "refunded_tax_minor", "adjusted_minor", "adjusted_tax_minor")
_LINE = ("delivered", "held", "refunded", "withheld", "refunded_unshipped", *_LINE_MONEY)
_SHARE = ("authorized_minor", "reserved_minor", "refunded_minor", "disputed_minor", "excess_minor")
_REFUND = (
    "state",
    "conditions",
    "generation",
    "observed_generation",
    "resource_version",
    "next_reconcile_at",
    "deadline",
    "acknowledged_at",
    "failures",
    "event_seq",
    "event_head",
    "updated_at",
    "finished_at",
)
#: What only people and the return path change: a statement of its own, so that an instant refund does not carry it.
_DECISION = (
    "policy_version_id",
    "route",
    "goods",
    "amount_minor",
    "sheet",
    "reminded_at",
    "approved_at",
    "approved_by",
    "second_at",
    "second_by",
    "second_for",
    "second_most_minor",
    "second_bypass",
    "offered_minor",
    "offered_by",
    "offer_note",
    "rejected_by",
    "contest_until",
    "contests",
    "rejection",
    "rejection_code",
    "stop",
    "received_at",
    "inspected_at",
    "cancel_wanted_by",
    "held_from",
    "held_until",
    "held_for",
    "proof",
    "proof_until",
    "proof_note",
    "customer_wrote_at",
    "way_back",
    "remedy",
    "replaced_by",
    "target_by",
    "target_at",
    "code_until",
    "assignee_id",
)
_UNITS = (
    "quantity",
    "announced",
    "accepted",
    "damaged",
    "wrong_item",
    "missing",
    "disposition",
    "amount_minor",
    "tax_minor",
)
_PICKUP = (
    *CALL_COLUMNS,
    "state",
    "carrier",
    "waybill",
    "key_no",
    "label_url",
    "slot_from",
    "slot_to",
    "missed",
    "refusal",
    "unwanted",
    "fact_at",
    "collected_at",
)
_SHIPMENT = (*CALL_COLUMNS, "state", "fact_at", "delivered_at", "delivery_known_at")
_MOVEMENT = (
    *CALL_COLUMNS,
    "state",
    "key_no",
    "server_error",
    "gateway_refund_id",
    "failure_code",
    "first_sent_at",
    "accepted_at",
    "settled_at",
    "receipt",
)
_INCIDENT_END = ("closed_at", "closed_by", "note")
_INCIDENT = ("kind", "order_id", "refund_id", "data", "opened_at", "due_at", *_INCIDENT_END)
_INCIDENT_OPEN_ONCE = " ON CONFLICT (refund_id, kind) WHERE closed_at IS NULL DO NOTHING"


@dataclass(slots=True)
class Changes:
    """Changed rows by id (a changed row that is also new is only inserted), and new ones in order."""

    orders: dict[int, Order] = field(default_factory=dict)
    lines: dict[int, OrderLine] = field(default_factory=dict)
    shares: dict[int, PaymentShare] = field(default_factory=dict)
    refunds: dict[int, Refund] = field(default_factory=dict)
    movements: dict[int, GatewayRefund] = field(default_factory=dict)
    webhooks: dict[int, InboundWebhook] = field(default_factory=dict)
    decisions: dict[int, Refund] = field(default_factory=dict)
    units: dict[int, RefundLine] = field(default_factory=dict)
    resized: dict[int, GatewayRefund] = field(default_factory=dict)
    withheld: dict[int, GatewayRefund] = field(default_factory=dict)
    replaced: dict[int, GatewayRefund] = field(default_factory=dict)
    redirected: dict[int, GatewayRefund] = field(default_factory=dict)
    failures: dict[int, GatewayRefund] = field(default_factory=dict)
    pickups: dict[int, Pickup] = field(default_factory=dict)
    shipments: dict[int, Shipment] = field(default_factory=dict)
    visible: set[int] = field(default_factory=set)
    new_refunds: list[Refund] = field(default_factory=list)
    new_units: list[RefundLine] = field(default_factory=list)
    new_movements: list[GatewayRefund] = field(default_factory=list)
    new_pickups: list[Pickup] = field(default_factory=list)
    entries: list[LedgerEntry] = field(default_factory=list)
    events: list[RefundEvent] = field(default_factory=list)
    notifications: list[Notification] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    closed: list[Incident] = field(default_factory=list)

    def write(self) -> list[int]:
        """Write it all; the ids of the new notifications, to be woken after the commit."""
        self._insert_cases()
        self._update_rows()
        records.insert_objects(self.entries)
        records.insert_objects(self.events)
        incidents = [[getattr(i, column) for column in _INCIDENT] for i in self.incidents]
        records.update(Incident, _INCIDENT_END, [incident for incident in self.closed if incident.pk])
        records.insert(Incident, _INCIDENT, incidents, _INCIDENT_OPEN_ONCE)
        return records.insert_numbered(self.notifications)

    def _insert_cases(self) -> None:
        records.insert_objects(self.new_refunds)
        records.insert_objects(self.new_units)
        records.insert_objects(self.new_movements)
        records.insert_objects(self.new_pickups)

    def _update_rows(self) -> None:
        records.update(Refund, _REFUND, _without(self.refunds, self.new_refunds))
        records.update(PaymentShare, _SHARE, self.shares.values())
        records.update(GatewayRefund, ("disputed_minor", "kind"), self.withheld.values())
        records.update(GatewayRefund, _MOVEMENT, _without(self.movements, self.new_movements))
        records.update(OrderLine, _LINE, self.lines.values())
        records.update(Order, _ORDER, self.orders.values())
        records.update(InboundWebhook, ("applied_at",), self.webhooks.values())
        records.update(Refund, _DECISION, self.decisions.values())
        records.update(RefundLine, _UNITS, self.units.values())
        records.update(GatewayRefund, ("amount_minor",), self.resized.values())
        records.update(GatewayRefund, ("replaced_by",), self.replaced.values())
        records.update(GatewayRefund, ("target", "payee"), _without(self.redirected, self.new_movements))
        records.update(GatewayRefund, ("failed_ids",), self.failures.values())
        records.update(Pickup, _PICKUP, _without(self.pickups, self.new_pickups))
        records.update(Shipment, _SHIPMENT, self.shipments.values())


def _without(changed: dict[int, Any], new: list[Any]) -> list[Any]:
    fresh = {row.id for row in new}
    return [row for row in changed.values() if row.id not in fresh]
