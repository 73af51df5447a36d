"""A form does its work once, however often it is sent: by the token it carries, over the API's own machinery."""

import json
import secrets
from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.http import HttpRequest

from orders.errors import Invalid
from orders.locks import WEB_WAIT_MS, lock_orders
from orders.rest import idempotency
from orders.rest.answers import answer
from orders.selectors.access import customers_id
from refunds.pages.visits import Visit

FIELD = "form_token"


def new_token() -> str:
    return secrets.token_hex(16)


def once(request: HttpRequest, visit: Visit, name: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What `work` says, done in one transaction for this form; sent again, what it said the first time.

    `name` tells the forms of an order apart. A second press waits for the first. Raises what the work raises, Invalid
    for a form without a token of ours, and LockNotHad.
    """
    token = request.POST.get(FIELD, "")
    if not idempotency.FORM_TOKEN.fullmatch(token):
        raise Invalid.of("", "form_incomplete", "The form carries no token.")
    digest = idempotency.digest_of_form(request)
    form = idempotency.Repeatable(customers_id(), "POST", f"/r/{visit.order.pk}/{name}", token, digest)
    with transaction.atomic():
        lock_orders([visit.order.pk], wait_ms=WEB_WAIT_MS)
        return json.loads(idempotency.once(form, lambda: answer(work())).content)
