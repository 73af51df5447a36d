"""What a gateway account of the tests says, and under which secret."""

import json
from typing import Any

SECRET = "whsec_c2VjcmV0IG9mIGEgc2FuZGJveCBmb3IgdGVzdHM="
ACCOUNTS = {"sandbox": {"adapter": "http", "base_url": "http://127.0.0.1:1", "secret": SECRET}}


def an_event(number: str, **fields: Any) -> dict[str, Any]:
    """A refund of this number has succeeded."""
    refund = {
        "gateway_refund_id": "re_1",
        "number": number,
        "payment_reference": "pay-1",
        "status": "succeeded",
        "amount_minor": 500,
        "currency": "EUR",
        "failure_code": "",
    }
    return {"id": "evt_1", "type": "refund.updated", "refund": refund, "occurred_at": "2026-05-01T12:00:00Z"} | fields


def said(event: dict[str, Any]) -> bytes:
    return json.dumps(event).encode()
