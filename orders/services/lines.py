"""Finding the lines a caller names: one rule for parcels and refunds."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from orders.errors import FieldError
from orders.models import OrderLine
from orders.services.facts import refuse


class LineId(str):
    """A line named by its id."""

    __slots__ = ()


class Sku(str):
    """A line named by its sku, where no other line has it."""

    __slots__ = ()


#: An id is looked for among ids only and a sku among skus only: one line's id may be another's sku.
LineKey = LineId | Sku


def key_of(line: Mapping[str, Any]) -> LineKey:
    """How a checked body, which has either `id` or `sku`, names its line."""
    return LineId(line["id"]) if "id" in line else Sku(line["sku"])


def is_named(line: OrderLine, key: LineKey) -> bool:
    """Whether the key is this line's. A line that was removed has no units, and no name any more."""
    return line.quantity > 0 and key == (line.line_id if isinstance(key, LineId) else line.sku)


def named_lines(lines: Sequence[OrderLine], keys: Sequence[LineKey], *, paths: Sequence[str]) -> list[OrderLine]:
    """The one line of each key, or 422 naming every key that fits none or several; `paths` say where the keys stand."""
    found = [[line for line in lines if is_named(line, key)] for key in keys]
    refuse(_errors(keys, found, paths))
    return [matches[0] for matches in found]


def _errors(keys: Sequence[LineKey], found: list[list[OrderLine]], paths: Sequence[str]) -> Iterator[FieldError]:
    for key, matches, path in zip(keys, found, paths, strict=True):
        if not matches:
            kind = "id" if isinstance(key, LineId) else "sku"
            yield FieldError(path, "unknown_line", f"the order has no line with the {kind} {key}")
        elif len(matches) > 1:
            ids = ", ".join(line.line_id for line in matches)
            yield FieldError(f"{path}.sku", "ambiguous_sku", f"{key} is on several lines: name one by id ({ids})")
