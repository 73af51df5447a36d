"""Why a sheet was cut: it comes to less than it would, as the label of its limit says. Pure."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any


class Cut(StrEnum):
    """Stored in sheets: a label that was once given stays."""

    NOT_CHARGED = "Nothing was charged"
    RESERVED = "No more than was reserved for this refund"
    BEFORE_ARRIVAL = "No more than before the goods arrived"
    BEFORE_END = "No more than before it had ended"
    ASKED = "No more than was asked for"
    LEFT = "No more than is left of the payments"
    NOT_SENT = "No more than had been sent when it was closed"


def is_cut(entries: Iterable[Mapping[str, Any]], cut: Cut) -> bool:
    """`entries` as they are stored."""
    return any(_says(cut, entry) for entry in entries)


def unsent_of(entries: Iterable[Mapping[str, Any]]) -> int:
    """What had not been sent when a person closed it, in minor units: it is not in the amount any more."""
    return -sum(entry["amount_minor"] for entry in entries if _says(Cut.NOT_SENT, entry))


def _says(cut: Cut, entry: Mapping[str, Any]) -> bool:
    return bool(entry["kind"] == "limit" and entry["label"] == cut)
