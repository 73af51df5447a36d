"""The peers behind a web server: a view that only inserts a row, and the door of the tuned chain. Nobody is asked who
he is."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from benchmarks.peers.bare import BareRequest
from benchmarks.peers.chain_requests import request_refund
from benchmarks.peers.tuned import app

View = Callable[[HttpRequest, str], HttpResponse]


def ready(request: HttpRequest) -> HttpResponse:
    return _answer({"status": "ok"}, status=200)


def bare(request: HttpRequest, order: str) -> HttpResponse:
    asked = json.loads(request.body)
    row = BareRequest.objects.create(order=order, lines=asked["lines"])
    return _answer({"id": row.pk, "order": row.order, "state": row.state})


def door(then: Callable[[int], object]) -> View:
    """Of a chain: all that there is of the order, which is all that it takes, handed to `then` in one transaction."""

    def view(request: HttpRequest, order: str) -> HttpResponse:
        assert json.loads(request.body)["lines"] == "all"
        refund = request_refund(order, then=then)
        return _answer({"number": refund.number, "state": refund.state, "amount_minor": refund.amount_minor})

    return view


def send_once_committed(refund_id: int) -> None:
    transaction.on_commit(partial(app.send_task, "refund_order", [refund_id]))


def _answer(body: dict[str, Any], *, status: int = 202) -> HttpResponse:
    """With its length, so that the server need not send it in chunks."""
    response = JsonResponse(body, status=status)
    response.headers["Content-Length"] = str(len(response.content))
    return response


tuned = door(send_once_committed)
urlpatterns = [
    path("readyz", ready),
    path("bare/<str:order>", bare),
    path("tuned/<str:order>", tuned),
]
