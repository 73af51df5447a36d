"""Asking for money back: request, preview, and cancelling what an order has not shipped."""

from django.http import HttpResponse
from rest_framework.request import Request

from orders.errors import Problem
from orders.rest.answers import answer
from orders.rest.door import Door
from orders.rest.schema import operation
from orders.snapshot import snapshot
from refunds.actions import Action, permit
from refunds.api import schema
from refunds.api.bodies import OrderCancelBody, RefundBody, cancel_wish, wish
from refunds.api.preview_shapes import PreviewShape
from refunds.api.shapes import RequestedShape, show_refunds
from refunds.services.requests import RefundWish, preview_refund, request_refunds

REFUND_BODY = RefundBody()
ORDER_CANCEL_BODY = OrderCancelBody()


class RequestDoor(Door):
    """What requests share: the act and its answer are one transaction with the kept Idempotency-Key."""

    def ask(self, wanted: RefundWish) -> HttpResponse:
        return self.once(lambda: self._requested(wanted))

    def _requested(self, wanted: RefundWish) -> HttpResponse:
        (outcome,) = request_refunds([wanted])
        if isinstance(outcome, Problem):
            raise outcome
        shown = show_refunds(outcome.refunds, actor=self.caller.actor)
        return answer({"request": outcome.request, "refunds": shown}, status=202)


class OrderRefunds(RequestDoor):
    """POST /orders/{number}/refunds"""

    @operation(
        operation_id="request_refund",
        request=RefundBody,
        parameters=[schema.CHANNEL, schema.IDEMPOTENCY_KEY],
        responses={202: RequestedShape} | schema.problems(403, 404, 409),
    )
    def post(self, request: Request, number: str) -> HttpResponse:
        """Ask for a refund; the engine carries it to its end. One refund per route, under one request number."""
        body = self.read(REFUND_BODY)
        wanted = wish(body, order=number, channel=self.channel(), actor=self.caller.actor)
        permit(wanted.action, self.caller.actor)
        return self.ask(wanted)


class RefundPreview(Door):
    """POST /orders/{number}/refunds/preview"""

    @operation(
        operation_id="preview_refund",
        request=RefundBody,
        parameters=[schema.CHANNEL],
        responses={200: PreviewShape} | schema.problems(404, 409),
    )
    def post(self, request: Request, number: str) -> HttpResponse:
        """What the same request would do now: units, routes, sheets, payments. Nothing is stored."""
        permit(Action.PREVIEW, self.caller.actor)
        body = self.read(REFUND_BODY)
        wanted = wish(body, order=number, channel=self.channel(), actor=self.caller.actor)
        with snapshot():
            preview = preview_refund(wanted)
        return answer(PreviewShape(preview).data)


class OrderCancel(RequestDoor):
    """POST /orders/{number}/cancel"""

    @operation(
        operation_id="cancel_order",
        request=OrderCancelBody,
        parameters=[schema.CHANNEL, schema.IDEMPOTENCY_KEY],
        responses={202: RequestedShape} | schema.problems(403, 404, 409),
    )
    def post(self, request: Request, number: str) -> HttpResponse:
        """Ask for all units that have not been shipped: a request like any other."""
        body = self.read(ORDER_CANCEL_BODY, optional=True)
        wanted = cancel_wish(body, order=number, channel=self.channel(), actor=self.caller.actor)
        permit(wanted.action, self.caller.actor)
        return self.ask(wanted)
