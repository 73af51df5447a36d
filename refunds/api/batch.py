"""Asking for many refunds at once: one transaction, and for each item the answer it would have had alone."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from orders.errors import Problem
from orders.rest.answers import answer
from orders.rest.door import Door
from orders.rest.fields import Body, Identifier
from orders.rest.problems import invalid, problem_body
from orders.rest.schema import Problem as ProblemShape
from orders.rest.schema import operation
from orders.rest.shapes import Shape
from refunds.actions import ASKING, permit_one_of
from refunds.api import schema
from refunds.api.bodies import RefundBody, wish
from refunds.models import Refund
from refunds.services.requests import RefundWish, Requested, request_refunds
from refunds.states import RefundState, Route

MOST_ITEMS = 500
#: Two KiB for each item.
LIMIT_BYTES = MOST_ITEMS * 2048


class BatchItem(RefundBody):
    """The request for one `order`: what the request for it alone takes."""

    order = Identifier(max_length=64)


class Items(serializers.ListField):
    """Each item checked, or the problem that it is."""

    child = BatchItem()
    default_error_messages = {"not_a_list": "must be a list of requests", "empty": "must hold at least one request"}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_empty=False, max_length=MOST_ITEMS, **kwargs)

    def run_child_validation(self, data: Sequence[Any]) -> list[dict[str, Any] | Problem]:
        """Of far too many items only so many that they are too many."""
        return [self._checked(item) for item in data[: MOST_ITEMS + 1]]

    def _checked(self, item: Any) -> dict[str, Any] | Problem:
        try:
            checked: dict[str, Any] = self.child.run_validation(item)
        except ValidationError as error:
            return invalid(error.detail)
        return checked


class BatchBody(Body):
    refunds = Items()


class BatchRefundShape(Shape[Refund]):
    """A refund in short; the whole of it is at `href`."""

    number = serializers.CharField()
    href = serializers.SerializerMethodField()
    state = serializers.ChoiceField([(state.value, state.name) for state in RefundState])
    route = serializers.ChoiceField([route.value for route in Route])
    amount_minor = serializers.IntegerField()
    currency = serializers.CharField()

    def get_href(self, refund: Refund) -> str:
        return f"/api/v1/refunds/{refund.number}"


class BatchResultShape(serializers.Serializer[Any]):
    """`status` is that of the request alone: 202 with `request` and `refunds`, else there is a `problem`, whose fields
    are those of the batch, such as refunds[3].lines."""

    status = serializers.IntegerField()
    request = serializers.CharField(required=False)
    refunds = BatchRefundShape(many=True, required=False)
    problem = ProblemShape(required=False)


class BatchShape(serializers.Serializer[Any]):
    """A result for each item, in their order."""

    results = BatchResultShape(many=True)


BATCH_BODY = BatchBody()
_REFUND = BatchRefundShape()


class RefundBatch(Door):
    """POST /refunds:batch"""

    limit_bytes = LIMIT_BYTES

    @operation(
        operation_id="request_refunds",
        request=BatchBody,
        parameters=[schema.CHANNEL, schema.IDEMPOTENCY_KEY],
        responses={200: BatchShape} | schema.problems(403, 404),
    )
    def post(self, request: Request) -> HttpResponse:
        """Ask for many refunds. An item that is refused leaves the others as they are; an order can have several, which
        are decided in turn. While somebody else has one of the orders in hand it is 503, and nothing is done."""
        permit_one_of(ASKING, self.caller.actor)
        items, channel, actor = self.read(BATCH_BODY)["refunds"], self.channel(), self.caller.actor
        asked = [
            item if isinstance(item, Problem) else wish(item, order=item["order"], channel=channel, actor=actor)
            for item in items
        ]
        return self.once(lambda: answer({"results": list(_results(asked))}))


def _results(asked: Sequence[RefundWish | Problem]) -> Iterator[dict[str, Any]]:
    outcomes = iter(request_refunds([item for item in asked if isinstance(item, RefundWish)]))
    for index, item in enumerate(asked):
        outcome = item if isinstance(item, Problem) else next(outcomes)
        yield _refused(outcome, index) if isinstance(outcome, Problem) else _accepted(outcome)


def _refused(problem: Problem, index: int) -> dict[str, Any]:
    return {"status": problem.status, "problem": problem_body(problem, within=f"refunds[{index}]")}


def _accepted(requested: Requested) -> dict[str, Any]:
    refunds = [_REFUND.to_representation(refund) for refund in requested.refunds]
    return {"status": 202, "request": requested.request, "refunds": refunds}
