"""What a pass over refunds reads besides the docket's rows."""

from collections.abc import Collection
from datetime import datetime

from refunds.fetching import heard
from refunds.models import InboundWebhook
from refunds.records import execute_about
from workers.ports import GatewayFact, GatewayStatus, ParcelFact, ParcelStatus, Slot, receipt_from


def orders_of(refund_ids: Collection[int]) -> dict[int, int]:
    """The order id of each refund, which never changes; unknown refunds are missing."""
    rows = execute_about("SELECT id, order_id FROM refunds_refund WHERE id = ANY(%b::bigint[])", refund_ids)
    return dict(rows.fetchall())


def webhook_fact(webhook: InboundWebhook) -> GatewayFact:
    """The fact that a stored `refund.updated` speaks of."""
    told = webhook.payload
    occurred_at = told.get("occurred_at")
    return GatewayFact(
        gateway_refund_id=told["gateway_refund_id"],
        number=told["number"],
        status=GatewayStatus(told["status"]),
        amount_minor=told["amount_minor"],
        currency=told["currency"],
        failure_code=told.get("failure_code", ""),
        occurred_at=datetime.fromisoformat(occurred_at) if occurred_at else None,
        payment_reference=told.get("payment_reference", ""),
        receipt=receipt_from(told.get("receipt", {})),
    )


def parcel_fact(webhook: InboundWebhook) -> ParcelFact:
    """The fact that a stored `parcel.updated` speaks of, as it was heard."""
    told = webhook.payload
    slot = told.get("slot")
    fact = ParcelFact(
        number=told["number"],
        waybill=told["waybill"],
        status=ParcelStatus(told["status"]),
        occurred_at=datetime.fromisoformat(told["occurred_at"]),
        slot=Slot(datetime.fromisoformat(slot["starts_at"]), datetime.fromisoformat(slot["ends_at"])) if slot else None,
        reason=told.get("reason", ""),
        label_url=told.get("label_url", ""),
    )
    return heard(fact, webhook.received_at)
