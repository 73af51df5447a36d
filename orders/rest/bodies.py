"""From bytes to a JSON object, or a problem: strict where silence would change what the sender meant."""

import json
from typing import Any, NoReturn

from django.http import HttpRequest
from gunicorn.http.errors import ParseException

from orders.errors import Invalid
from orders.rest.problems import LengthRequired, TooLarge, Unreadable, UnsupportedMedia

LIMIT_BYTES = 256 * 1024


def parse_object(request: HttpRequest, *, optional: bool, limit: int = LIMIT_BYTES) -> dict[str, Any]:
    """The body's JSON object; nothing at all is an empty one where the whole body is `optional`."""
    raw = read_bytes(request, limit=limit)
    if not raw and optional:
        return {}
    if not raw:
        raise Unreadable("unreadable_body", "The body is empty: send a JSON object.")
    if request.content_type != "application/json" or _charset(request) not in ("utf-8", "utf8"):
        raise UnsupportedMedia("unsupported_media_type", "Send application/json in UTF-8.")
    body = parse_json(raw)
    if not isinstance(body, dict):
        raise Invalid.of("", "not_an_object", "The body must be a JSON object.")
    return body


def read_bytes(request: HttpRequest, *, limit: int = LIMIT_BYTES) -> bytes:
    """The raw body, of a stated length or in chunks; no more than the limit of it is ever held."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > limit:
        raise _too_large(limit)
    try:
        raw = _chunks(request, limit) if "HTTP_TRANSFER_ENCODING" in request.META else request.read(limit + 1)
    except (OSError, ParseException):
        raise Unreadable("unreadable_body", "The body broke off, or its chunks make no sense.") from None
    if len(raw) > limit:
        raise _too_large(limit)
    return raw


def _too_large(limit: int) -> TooLarge:
    return TooLarge("too_large", f"The body is larger than {limit} bytes.")


def _chunks(request: HttpRequest, limit: int) -> bytes:
    """Django takes a body without a length for empty; only the server knows where its chunks end."""
    if not request.META.get("wsgi.input_terminated"):
        raise LengthRequired("length_required", "Send the body with its Content-Length.")
    return request.META["wsgi.input"].read(limit + 1)


def parse_json(raw: bytes, *, what: str = "The body") -> Any:
    """Strict JSON in UTF-8: no NaN or Infinity, no name twice, no byte order mark, something in it. `what` it is, for
    the problem."""
    try:
        return json.loads(raw.decode(), parse_constant=_no_constant, object_pairs_hook=_each_name_once)
    except RecursionError:
        raise Unreadable("unreadable_body", f"{what} is nested too deeply.") from None
    except UnicodeDecodeError:
        raise Unreadable("unreadable_body", f"{what} is not UTF-8.") from None
    except ValueError as error:
        reason = "a number is too long" if "int_max_str_digits" in str(error) else str(error)
        raise Unreadable("unreadable_body", f"{what} is not JSON: {reason}.") from None


def _charset(request: HttpRequest) -> str:
    return (request.content_params or {}).get("charset", "utf-8").strip('"').lower()


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{ascii(twice[:60])} stands there twice")
    return found
