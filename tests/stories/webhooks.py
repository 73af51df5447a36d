"""What a gateway says of a refund by webhook, true or not, signed as the sandbox would."""

import json
import time
import uuid
from typing import Any

from tests.stories.shop import Answer, Shop
from workers.adapters import signing


def tell(shop: Shop, refund: dict[str, Any], *, payment: str, status: str) -> Answer:
    """Send a webhook about a refund as the sandbox's ledger shows it, with this status."""
    fact = {name: refund[name] for name in ("gateway_refund_id", "number", "amount_minor", "currency")}
    fact |= {"payment_reference": payment, "status": status, "failure_code": ""}
    event = {"id": f"evt_{uuid.uuid4().hex}", "type": "refund.updated", "refund": fact}
    body = json.dumps(event | {"occurred_at": refund["created_at"]}).encode()
    secret = shop.stack.home.identity().gateway_secret
    headers = signing.sign(secret, body, message_id=event["id"], now=time.time())
    return shop.post_signed("/api/v1/webhooks/sandbox", body, headers)
