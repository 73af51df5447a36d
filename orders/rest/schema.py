"""What the served schema says of every call: its answer, its problems, and the parameters it takes."""

from collections.abc import Callable, Sequence
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers


class FieldProblem(serializers.Serializer):
    field = serializers.CharField(help_text="JSON path, such as lines[0].quantity; empty for the whole body")
    code = serializers.CharField()
    detail = serializers.CharField()


class Problem(serializers.Serializer):
    """RFC 9457. `code` is stable; `detail` is for people."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    errors = FieldProblem(many=True)  # type: ignore[assignment]


CHANNEL = OpenApiParameter("channel", str, description="Slug; may be left out when the key has one channel.")
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER, description="The same again gives the same answer, once done."
)
IF_MATCH = OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, description="Else 412.")
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, enum=["*"], description="It is created; 412 where it is there."
)
LIMIT = OpenApiParameter("limit", int, description="1 to 200, 50 when left out.")
CURSOR = OpenApiParameter("cursor", str, description="`next_cursor` of the page before.")
READING = (401, 404, 422, 503)
WRITING = (400, 401, 403, 404, 409, 413, 415, 422, 503)


def operation(*, parameters: Sequence[OpenApiParameter] = (), **said: Any) -> Callable[[Any], Any]:
    """Document a method of a Door, as `extend_schema` does. Names in a query that are none of its parameters are
    refused: whoever misspells `dry_run` must not have it done."""

    def mark(handler: Any) -> Any:
        handler.query = frozenset(p.name for p in parameters if p.location == OpenApiParameter.QUERY)
        return extend_schema(parameters=list(parameters), **said)(handler)

    return mark


def documented(
    answer: Any, *, name: str, body: Any = None, status: int = 200, parameters: tuple[Any, ...] = ()
) -> Callable[[Any], Any]:
    """Document a method of a Door: `name` is its operation id; one with a `body` writes."""
    problems = {(code, "application/problem+json"): Problem for code in (WRITING if body is not None else READING)}
    return operation(
        operation_id=name,
        request=body,
        responses={status: answer, **problems},
        parameters=[CHANNEL, *parameters],
    )
