"""JSON answers, rendered once: the same text is sent and, for a repeated request, kept."""

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.http import HttpResponse

JSON_TYPE = "application/json"


def rfc3339(moment: datetime | None) -> str | None:
    """UTC, with `Z` and the fraction only where there is one."""
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")


def etag(resource_version: int) -> str:
    return f'"{resource_version}"'


def tagged(response: HttpResponse) -> HttpResponse:
    """With an ETag that moves with whatever the answer shows, also what other resources lend to it."""
    response.headers["ETag"] = f'"{sha256(response.content).hexdigest()[:32]}"'
    return response


def _as_text(value: Any) -> str | None:
    if isinstance(value, datetime):
        return rfc3339(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


def render(data: Any) -> str:
    """Escaped to ASCII, so that no text of any shape can make an answer unreadable."""
    return json.dumps(data, default=_as_text, separators=(",", ":"), allow_nan=False)


def answer(
    data: Any, *, status: int = 200, resource_version: int | None = None, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """`resource_version`, where the thing answered has one, becomes the ETag."""
    response = HttpResponse(render(data), status=status, content_type=JSON_TYPE, headers=headers)
    if resource_version is not None:
        response.headers["ETag"] = etag(resource_version)
    return response


def picture(data: bytes, kind: str) -> HttpResponse:
    """For who asked alone, kept by nobody; whatever else a browser takes it for, nothing in it runs."""
    headers = {
        "Cache-Control": "private, no-store",
        "Content-Disposition": "inline",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(data, content_type=kind, headers=headers)
