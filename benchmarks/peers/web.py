"""The peers behind a web server: a view that only inserts a row, and the door of the tuned chain. Nobody is asked who
he is."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from benchmarks.peers.bare import BareRequest
from benchmarks.peers.tuned_requests import request_refund


def ready(request: HttpRequest) -> HttpResponse:
    return _answer({"status": "ok"}, status=200)


def bare(request: HttpRequest, order: str) -> HttpResponse:
    asked = json.loads(request.body)
    row = BareRequest.objects.create(order=order, lines=asked["lines"])
    return _answer({"id": row.pk, "order": row.order, "state": row.state})


def tuned(request: HttpRequest, order: str) -> HttpResponse:
    """All that there is of the order, which is all that it takes."""
    assert json.loads(request.body)["lines"] == "all"
    refund = request_refund(order)
    return _answer({"number": refund.number, "state": refund.state, "amount_minor": refund.amount_minor})


def _answer(body: dict[str, Any], *, status: int = 202) -> HttpResponse:
    """With its length, so that the server need not send it in chunks."""
    response = JsonResponse(body, status=status)
    response.headers["Content-Length"] = str(len(response.content))
    return response


urlpatterns = [
    path("readyz", ready),
    path("bare/<str:order>", bare),
    path("tuned/<str:order>", tuned),
]
