"""Pages by cursor: opaque, stable while rows are added, and never a number of pages."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.http import HttpRequest

from orders.errors import Invalid
from orders.rest.fields import FORBIDDEN, MAX_BIGINT
from orders.rest.parameters import query_integer, query_text

DEFAULT_LIMIT = 50
MAX_LIMIT = 200
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class PageWish:
    """`after` is the sort key of the last row of the page before; None for the first page."""

    limit: int
    after: tuple[Any, ...] | None

    @property
    def to_read(self) -> int:
        """So many rows: the one more than are shown tells whether others follow."""
        return self.limit + 1


def read_page(request: HttpRequest, shape: Sequence[type]) -> PageWish:
    """`?limit=` and `?cursor=`; `shape` is the types (int or str) of the sort key a cursor holds."""
    limit = query_integer(request, "limit", default=DEFAULT_LIMIT, largest=MAX_LIMIT)
    cursor = query_text(request, "cursor", max_length=400)
    return PageWish(limit, None if cursor is None else _decode(cursor, shape))


def page(
    found: Sequence[Row], wish: PageWish, *, show: Callable[[Row], Any], key: Callable[[Row], int | str]
) -> dict[str, Any]:
    """Of the `to_read` rows that were asked for those that are wished. `key`: what a row is sorted by."""
    here, more = found[: wish.limit], len(found) > wish.limit
    return {"items": [show(row) for row in here], "next_cursor": _encode([key(here[-1])]) if more else None}


def _encode(key: Sequence[int | str]) -> str:
    return base64.urlsafe_b64encode(json.dumps(list(key)).encode()).decode().rstrip("=")


def _decode(cursor: str, shape: Sequence[type]) -> tuple[Any, ...]:
    try:
        key = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError):
        key = None
    if not isinstance(key, list) or [type(part) for part in key] != list(shape) or not all(map(_is_sound, key)):
        raise Invalid.of("cursor", "bad_cursor", "This cursor was not made by us: start from the first page.")
    return tuple(key)


def _is_sound(part: int | str) -> bool:
    return not FORBIDDEN.search(part) if isinstance(part, str) else 0 <= part <= MAX_BIGINT
