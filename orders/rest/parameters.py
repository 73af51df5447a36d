"""What comes in addresses, queries and headers, checked as strictly as bodies are."""

import re
from collections.abc import Collection

from django.http import HttpRequest

from orders.errors import Invalid, NotFound
from orders.rest.fields import FORBIDDEN, MAX_BIGINT

KEY_SHAPE = re.compile(r"[\x21-\x7e]{1,255}")
IF_MATCH = re.compile(r'(W/)?"(\d{1,18})"')
#: A version no resource has: what a weak validator is compared with, since it never matches.
NEVER = -1
MAX_PATH = 500


def refuse_odd_path(path: str) -> None:
    """No address of ours holds control characters or is so long."""
    if len(path) > MAX_PATH or FORBIDDEN.search(path):
        raise NotFound("not_found", "There is nothing at this address.")


def refuse_unknown(request: HttpRequest, known: Collection[str]) -> None:
    """422 for a name in the query that the call does not know: it would be as if it had not been said."""
    for name in request.GET:
        if name not in known:
            may = f"It knows {', '.join(sorted(known))}." if known else "It knows none."
            raise Invalid.of(name[:100], "unknown_parameter", f"This call has no such parameter. {may}")


def query_text(request: HttpRequest, name: str, *, max_length: int = 200) -> str | None:
    """A query parameter as text; None when it is not given, 422 when it is empty or given twice."""
    values = request.GET.getlist(name)
    if not values:
        return None
    value = values[0]
    if len(values) > 1 or not value or len(value) > max_length or FORBIDDEN.search(value) or "\ufffd" in value:
        raise Invalid.of(name, "bad_parameter", f"{name} must be given once, as text of 1 to {max_length} characters.")
    return value


def query_integer(request: HttpRequest, name: str, *, default: int, largest: int = MAX_BIGINT) -> int:
    """A query parameter from 1 to `largest`."""
    text = query_text(request, name, max_length=19)
    if text is None:
        return default
    value = int(text) if re.fullmatch(r"[0-9]+", text) else 0
    if not 1 <= value <= largest:
        raise Invalid.of(name, "bad_parameter", f"{name} must be a whole number from 1 to {largest}.")
    return value


def idempotency_key(request: HttpRequest) -> str | None:
    key = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not KEY_SHAPE.fullmatch(key):
        detail = "Idempotency-Key must be 1 to 255 visible ASCII characters."
        raise Invalid.of("Idempotency-Key", "bad_idempotency_key", detail)
    return key


def if_match(request: HttpRequest) -> int | None:
    """The resource version of `If-Match: "7"`; None without the header or for `*`."""
    header = request.META.get("HTTP_IF_MATCH", "*").strip()
    if header == "*":
        return None
    found = IF_MATCH.fullmatch(header)
    if not found:
        raise Invalid.of("If-Match", "bad_if_match", 'If-Match must be one ETag, such as "7".')
    return NEVER if found[1] else int(found[2])


def has_to_exist(request: HttpRequest) -> bool | None:
    """Of the resource at the address: True for `If-Match: *`, False for `If-None-Match: *`, None where neither is said.
    `If-None-Match` says nothing else: nobody wants to change what is of any version but one."""
    said = request.META.get("HTTP_IF_NONE_MATCH")
    if said is None:
        return True if request.META.get("HTTP_IF_MATCH", "").strip() == "*" else None
    if said.strip() != "*" or "HTTP_IF_MATCH" in request.META:
        detail = "If-None-Match is *, for what must not be there yet, and goes without If-Match."
        raise Invalid.of("If-None-Match", "bad_if_none_match", detail)
    return False


def refuse_if_none_match(request: HttpRequest) -> None:
    """Of what is done with something that is there."""
    if "HTTP_IF_NONE_MATCH" in request.META:
        detail = "If-None-Match is for what is created: name the version that you have seen by If-Match."
        raise Invalid.of("If-None-Match", "bad_if_none_match", detail)
