"""From bytes to a JSON object, or a problem: strict where silence would change what the sender meant."""

import json
from typing import Any, NoReturn

from django.http import HttpRequest

from orders.errors import Invalid
from orders.rest.problems import TooLarge, Unreadable, UnsupportedMedia

LIMIT_BYTES = 256 * 1024


def parse_object(request: HttpRequest, *, optional: bool) -> dict[str, Any]:
    """The body's JSON object; nothing at all is an empty one where the whole body is `optional`."""
    raw = read_bytes(request)
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
    """The raw body; refused by its stated length before it is read. Without a stated length there is none."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > limit:
        raise TooLarge("too_large", f"The body is larger than {limit} bytes.")
    return request.body


def parse_json(raw: bytes) -> Any:
    """Strict JSON in UTF-8: no NaN or Infinity, no name twice, no byte order mark, something in it."""
    try:
        return json.loads(raw.decode(), parse_constant=_no_constant, object_pairs_hook=_each_name_once)
    except RecursionError:
        raise Unreadable("unreadable_body", "The body is nested too deeply.") from None
    except UnicodeDecodeError:
        raise Unreadable("unreadable_body", "The body is not UTF-8.") from None
    except ValueError as error:
        reason = "a number is too long" if "int_max_str_digits" in str(error) else str(error)
        raise Unreadable("unreadable_body", f"The body is not JSON: {reason}.") from None


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
