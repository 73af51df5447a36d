"""Tables as the console's pages show them: cells of text, words that look like something, and links."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Word:
    """A state in words, and how it looks: success, danger, warning, info or plain; "total" and "over" are no labels."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    address: str


@dataclass(frozen=True, slots=True)
class Line:
    """Cells of a table's row; a list is a cell of several parts. `note` stands below, over its whole width; `tick` is
    what choosing the row sends, empty where there is nothing to be chosen."""

    cells: list[Any]
    note: str = ""
    tick: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A line with the heads of its columns, which a phone shows beside the cells."""

    line: Line
    cells: list[tuple[str, list[Any]]]


@dataclass(frozen=True, slots=True)
class Table:
    """`name` is for the id of its heading; `numbers` are the columns that hold some."""

    name: str
    title: str
    heads: list[str]
    lines: list[Line]
    numbers: frozenset[int] = frozenset()

    @property
    def rows(self) -> list[Row]:
        return [Row(line, list(zip(self.heads, map(_parts, line.cells), strict=True))) for line in self.lines]


def _parts(cell: Any) -> list[Any]:
    return cell if isinstance(cell, list) else [cell]
