"""What the OpenAPI descriptions of the refund doors share: parameters, and the problems every door may answer."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from orders.rest.problems import PROBLEM_TYPE

CHANNEL = OpenApiParameter("channel", description="Slug of a channel; may be left out when the key has one.")
ORDER = OpenApiParameter("order", description="Number of an order.")
STATE = OpenApiParameter("state", description="One or several states, by comma.")
UPDATED_SINCE = OpenApiParameter("updated_since", description="RFC 3339, inclusive.")
REFUND_FILTERS = (ORDER, STATE, UPDATED_SINCE)
LIMIT = OpenApiParameter("limit", int, description="At most so many.")
CURSOR = OpenApiParameter("cursor", description="`next_cursor` of the page before.")
PAGE = (LIMIT, CURSOR)
AFTER = OpenApiParameter("after", description="`next` of an earlier answer; without it, from the first event.")
TYPES = OpenApiParameter("types", description="Only events of these types, by comma.")
IF_MATCH = OpenApiParameter("If-Match", location="header", description="The ETag last seen; another one is a 412.")
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key", location="header", description="The same key again gives the same answer and does nothing."
)

_MEANING = {
    400: "The body cannot be read.",
    401: "No key, or a wrong or revoked one.",
    403: "The role may not do this.",
    404: "Unknown, or of another channel.",
    409: "The state of things forbids it.",
    412: "It has changed since that ETag.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    422: "A field is wrong: `errors` names it.",
    503: "Busy or unavailable: send it again after Retry-After seconds.",
}
_EVERYWHERE = (400, 401, 413, 415, 422, 503)


class FieldErrorShape(serializers.Serializer[Any]):
    field = serializers.CharField()
    code = serializers.CharField()
    detail = serializers.CharField()


class ProblemShape(serializers.Serializer[Any]):
    """RFC 9457. `code` is stable and for machines, `detail` for people; `errors` names the fields that are wrong."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    errors = FieldErrorShape(many=True)  # type: ignore[assignment]


def problems(*statuses: int) -> dict[tuple[int, str], OpenApiResponse]:
    """The problems of a door: those any may answer, and its own."""
    return {
        (status, PROBLEM_TYPE): OpenApiResponse(ProblemShape, description=_MEANING[status])
        for status in sorted({*_EVERYWHERE, *statuses})
    }
