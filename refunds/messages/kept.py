"""What of a refund stays with the shop, and why, as its sheet says it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from orders.typed import single_line
from refunds.cuts import Cut, is_cut

_KEPT = {
    "supplement": gettext_lazy("%(amount)s for express delivery"),
    "claw_back": gettext_lazy("%(amount)s of %(label)s, whose spend is not reached any more"),
    "gift": gettext_lazy("%(amount)s for the gift you keep (%(label)s)"),
    "deposit": gettext_lazy("%(amount)s of your deposit"),
    "restocking": gettext_lazy("%(amount)s restocking fee"),
    "return_shipping": gettext_lazy("%(amount)s return shipping"),
}


@dataclass(frozen=True, slots=True)
class Kept:
    """So much in minor units, by the kind of the sheet's entry; `label` names what it is about."""

    kind: str
    label: str
    amount_minor: int

    def said(self, write: Callable[[int], str]) -> str:
        return str(_KEPT[self.kind]) % {"amount": write(self.amount_minor), "label": self.label}


def kept_of(entries: Iterable[Mapping[str, Any]]) -> tuple[Kept, ...]:
    """Nothing of what was never charged."""
    found = list(entries)
    if is_cut(found, Cut.NOT_CHARGED):
        return ()
    return tuple(
        Kept(entry["kind"], single_line(entry["label"]), -entry["amount_minor"])
        for entry in found
        if entry["kind"] in _KEPT and entry["amount_minor"] < 0
    )


def adjusted_of(entries: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The names of the lines whose price is lowered by this refund."""
    return tuple(e["label"] for e in entries if e["kind"] == "adjustment" and e["amount_minor"] > 0)
