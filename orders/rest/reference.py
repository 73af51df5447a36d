"""The served schema as a page people can read: no script, nothing fetched from elsewhere."""

from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from drf_spectacular.generators import SchemaGenerator


@dataclass(frozen=True, slots=True)
class Field:
    """`depth` is how far it stands inside other objects."""

    name: str
    kind: str
    required: bool
    about: str
    depth: int


@dataclass(frozen=True, slots=True)
class Call:
    method: str
    path: str
    about: str
    parameters: list[dict[str, Any]]
    fields: list[Field]
    answers: list[str]


def reference(request: HttpRequest) -> HttpResponse:
    return render(request, "api_reference.html", {"calls": _calls()})


@lru_cache(maxsize=1)
def _calls() -> list[Call]:
    """Of this version of the code, which does not change while the process lives."""
    schema = SchemaGenerator().get_schema(public=True)
    shapes = schema["components"]["schemas"]
    return [
        _call(method, path, operation, shapes)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]


def _call(method: str, path: str, operation: dict[str, Any], shapes: dict[str, Any]) -> Call:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    answers = [f"{status} {HTTPStatus(int(status)).phrase}" for status in operation["responses"]]
    return Call(
        method.upper(),
        path,
        operation.get("description", ""),
        operation.get("parameters", []),
        _fields(body, shapes, depth=0),
        answers,
    )


def _fields(shape: dict[str, Any], shapes: dict[str, Any], *, depth: int) -> list[Field]:
    shape = _resolved(shape, shapes)
    found: list[Field] = []
    for name, of in shape.get("properties", {}).items():
        of = of | _resolved(of, shapes)
        inner = _resolved(of.get("items", of), shapes)
        required = name in shape.get("required", ())
        found.append(Field(name, _kind(of), required, of.get("description", ""), depth))
        found += _fields(inner, shapes, depth=depth + 1)
    return found


def _resolved(shape: dict[str, Any], shapes: dict[str, Any]) -> dict[str, Any]:
    """The shape itself, where it is named by reference, alone or within `allOf` or `oneOf`."""
    for wrapper in ("allOf", "oneOf"):
        shape = shape[wrapper][0] if wrapper in shape else shape
    return shapes[shape["$ref"].rpartition("/")[2]] if "$ref" in shape else shape


def _kind(shape: dict[str, Any]) -> str:
    kind = shape.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else kind
