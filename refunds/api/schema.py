"""What the OpenAPI descriptions of the refund doors add to the shared ones: filters, and the meaning of problems."""

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from orders.rest.problems import PROBLEM_TYPE
from orders.rest.schema import CHANNEL, CURSOR, IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH, LIMIT, Problem

__all__ = [
    "AFTER",
    "CHANNEL",
    "DRY_RUN",
    "IDEMPOTENCY_KEY",
    "IF_MATCH",
    "IF_NONE_MATCH",
    "LABELS",
    "LIMIT",
    "ORDER",
    "PAGE",
    "REFUND_FILTERS",
    "TYPES",
    "problems",
]

ORDER = OpenApiParameter("order", description="Number of an order.")
STATE = OpenApiParameter("state", description="One or several states, by comma.")
UPDATED_SINCE = OpenApiParameter("updated_since", description="RFC 3339, inclusive.")
REFUND_FILTERS = (ORDER, STATE, UPDATED_SINCE)
PAGE = (LIMIT, CURSOR)
AFTER = OpenApiParameter("after", description="`next` of an earlier answer; without it, from the first event.")
TYPES = OpenApiParameter(
    "types", description="Only events of these types, by comma; 422 `unknown_event` with all that are known."
)
LABELS = OpenApiParameter("labels", description="Only those with these labels: name=value, several by comma.")
DRY_RUN = OpenApiParameter("dry_run", bool, description="The answer is what it would be, and nothing is written.")

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


def problems(*statuses: int) -> dict[tuple[int, str], OpenApiResponse]:
    """The problems of a door: those any may answer, and its own."""
    return {
        (status, PROBLEM_TYPE): OpenApiResponse(Problem, description=_MEANING[status])
        for status in sorted({*_EVERYWHERE, *statuses})
    }
