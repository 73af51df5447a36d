"""How an amount came about, in the reader's language."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy, pgettext_lazy

from orders.typed import single_line
from refunds.cuts import Cut
from refunds.pages.presenters.words import Words


@dataclass(frozen=True, slots=True)
class Row:
    """`amount` is written out; `off`: it is taken away."""

    label: str
    amount: str
    off: bool = False


def sheet_rows(entries: Iterable[Mapping[str, Any]], currency: str, words: Words) -> tuple[Row, ...]:
    """The explained steps from list price to amount."""
    return tuple(
        Row(_label(entry), words.amount(entry["amount_minor"], currency), entry["amount_minor"] < 0)
        for entry in entries
    )


_CUTS = {
    Cut.NOT_CHARGED: gettext_lazy("Nothing was charged"),
    Cut.RESERVED: gettext_lazy("No more than was reserved for this refund"),
    Cut.BEFORE_ARRIVAL: gettext_lazy("No more than before the goods arrived"),
    Cut.BEFORE_END: gettext_lazy("No more than before it had ended"),
    Cut.ASKED: gettext_lazy("No more than was asked for"),
    Cut.LEFT: gettext_lazy("No more than is left of your payments"),
    Cut.NOT_SENT: gettext_lazy("Not sent when the refund was closed"),
}
#: What a kind is called; with `%(label)s` what the sheet names of it.
_KINDS = {
    "tax": pgettext_lazy("sheet", "Tax"),
    "shipping": pgettext_lazy("sheet", "Shipping"),
    "shipping_tax": pgettext_lazy("sheet", "Tax on shipping"),
    "adjustment": gettext_lazy("Price adjustment: %(label)s"),
    "amount": gettext_lazy("Agreed amount"),
    "overpaid": gettext_lazy("Paid too much"),
    "supplement": gettext_lazy("Express delivery, not refunded"),
    "claw_back": gettext_lazy("%(label)s: the spend it was given for is not reached any more"),
    "gift": gettext_lazy("Gift that you keep: %(label)s"),
    "deposit": gettext_lazy("Deposit, not refunded"),
    "restocking": gettext_lazy("Restocking fee"),
    "return_shipping": gettext_lazy("Return shipping"),
}
#: The same where it comes back again, now that the rest does.
_BACK = {
    "claw_back": gettext_lazy("Deducted before, given back"),
    "gift": gettext_lazy("Deducted before, given back"),
}


def _label(entry: Mapping[str, Any]) -> str:
    kind, label = entry["kind"], single_line(entry["label"])
    if kind == "line":
        return f"{entry['quantity']} × {label}"
    if kind == "limit" and entry["label"] in _CUTS:
        return str(_CUTS[entry["label"]])
    named = (_BACK if entry["amount_minor"] > 0 else {}).get(kind) or _KINDS.get(kind)
    return str(named) % {"label": label} if named else label


def cautions(entries: Iterable[Mapping[str, Any]], currency: str, words: Words) -> tuple[str, ...]:
    """What to know before confirming: what is deducted, and what would spare it."""
    found = []
    for entry in entries:
        text = _CAUTIONS.get(entry["kind"])
        if text and entry["amount_minor"] < 0:
            named = {"label": single_line(entry["label"]), "amount": words.amount(-entry["amount_minor"], currency)}
            found.append(text % named)
    return tuple(found)


_CAUTIONS = {
    "gift": gettext_lazy("Choose the gift too (%(label)s), or %(amount)s is deducted."),
    "claw_back": gettext_lazy(
        "What you keep costs less than the spend that %(label)s was given for, so %(amount)s of it is deducted."
    ),
    "deposit": gettext_lazy("Of your deposit %(amount)s is not refunded."),
}
