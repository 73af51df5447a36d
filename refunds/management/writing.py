"""How `describe` writes: fields, tables and ages in the manner of kubectl."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

FIELD_WIDTH = 20
NONE = "<none>"


def field(name: str, value: object) -> str:
    return f"{name + ':':<{FIELD_WIDTH}} {value if value not in (None, '') else NONE}"


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """The title, then aligned columns; without rows only that there are none."""
    cells = list(rows)
    if not cells:
        return [field(title, NONE)]
    aligned = columns([header, tuple("-" * len(name) for name in header), *cells])
    return [f"{title}:", *(f"  {line}" for line in aligned)]


def columns(rows: Iterable[Sequence[object]]) -> list[str]:
    """Aligned, two spaces apart."""
    cells = [tuple("" if cell is None else str(cell) for cell in row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]


def moment(at: datetime | None, now: datetime) -> str:
    """The time, and how far it is from now."""
    if at is None:
        return NONE
    distance = f"{age(now - at)} ago" if at <= now else f"in {age(at - now)}"
    return f"{at.isoformat(timespec='seconds').replace('+00:00', 'Z')} ({distance})"


def age(span: timedelta) -> str:
    """Two units at most, the second one only while it matters: 40s, 3m20s, 25m, 5h10m, 30h, 6d."""
    seconds = max(0, int(span.total_seconds()))
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return f"{minutes}m{seconds % 60}s"
    if hours < 3:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h{minutes % 60}m"
    return f"{hours}h" if hours < 48 else f"{days}d"
