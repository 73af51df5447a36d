"""Finding the lines a caller names, by id or sku."""

from collections.abc import Iterator, Sequence

from orders.errors import FieldError
from orders.models import OrderLine
from orders.services.facts import refuse


def named_lines(lines: Sequence[OrderLine], keys: Sequence[str]) -> list[OrderLine]:
    """The line of each key (an id, else a sku that one line alone has), or 422 naming every key that fits none."""
    found = [_matches(lines, key) for key in keys]
    refuse(_errors(keys, found))
    return [matches[0] for matches in found]


def _matches(lines: Sequence[OrderLine], key: str) -> list[OrderLine]:
    present = [line for line in lines if line.quantity]
    return [line for line in present if line.line_id == key] or [line for line in present if line.sku == key]


def _errors(keys: Sequence[str], found: list[list[OrderLine]]) -> Iterator[FieldError]:
    seen: set[int] = set()
    for i, (key, matches) in enumerate(zip(keys, found, strict=True)):
        if not matches:
            yield FieldError(f"lines[{i}]", "unknown_line", f"the order has no line {key}")
        elif len(matches) > 1:
            ids = ", ".join(line.line_id for line in matches)
            yield FieldError(f"lines[{i}].sku", "ambiguous_sku", f"{key} is on several lines: name one by id ({ids})")
        elif matches[0].pk in seen:
            yield FieldError(f"lines[{i}]", "repeated", f"line {key} is named twice: add its quantities up")
        else:
            seen.add(matches[0].pk)
