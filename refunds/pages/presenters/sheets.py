"""How an amount came about, in the reader's language, and where it goes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, pgettext_lazy

from refunds.messages.clean import single_line
from refunds.messages.facts import Way
from refunds.pages.facts import Money, Part
from refunds.pages.presenters.words import Words
from refunds.states import MovementKind, MovementState, RefundState

#: Why a sheet was cut, as the services say it.
LIMITS = (gettext_noop("Nothing was charged"), gettext_noop("No more than was reserved for this refund"))


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
    "gift": gettext_lazy("Gift that stays with you: %(label)s"),
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
    if kind == "limit" and entry["label"] in LIMITS:
        return _(entry["label"])
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
    "gift": gettext_lazy("Send the gift back too (%(label)s), or %(amount)s is deducted."),
    "claw_back": gettext_lazy(
        "What you keep costs less than the spend that %(label)s was given for, so %(amount)s of it is deducted."
    ),
    "deposit": gettext_lazy("Of your deposit %(amount)s is not refunded."),
}


def credit_row(amount_minor: int, currency: str, words: Words) -> tuple[Row, ...]:
    """What comes as store credit, where something does."""
    return (Row(_("As store credit"), words.amount(amount_minor, currency)),) if amount_minor else ()


def payment_rows(payments: Iterable[tuple[str, int]], currency: str, words: Words) -> tuple[Row, ...]:
    """Which payment gets how much, by (reference, minor units)."""
    label = _("To your original payment method (payment %(reference)s)")
    return tuple(
        Row(label % {"reference": single_line(reference)}, words.amount(amount_minor, currency))
        for reference, amount_minor in payments
    )


def moved_to(part: Part, words: Words) -> tuple[Row, ...]:
    """Where the money of this part goes, or has gone. Of a hold that is released none does."""
    left, moving = (MovementState.CANCELLED, MovementState.EXTERNAL), _moving(part)
    rows = tuple(row for m in moving if m.state not in left for row in _paid_to(m, part.currency, words))
    agreed = sum(m.amount_minor for m in moving if m.state is MovementState.EXTERNAL)
    return (*rows, Row(_("In the way agreed with you"), words.amount(agreed, part.currency))) if agreed else rows


def _moving(part: Part) -> list[Money]:
    return [m for m in part.money if m.kind is not MovementKind.VOID]


def _paid_to(money: Money, currency: str, words: Words) -> tuple[Row, ...]:
    """As the gateway names the account, where it has."""
    if money.is_credit:
        return credit_row(money.amount_minor, currency, words)
    if not money.account:
        return payment_rows([(money.reference, money.amount_minor)], currency, words)
    named = {"account": single_line(money.account), "reference": single_line(money.reference)}
    label = _("To %(account)s (payment %(reference)s)") % named
    return (Row(label, words.amount(money.amount_minor, currency)),)


def money_by(part: Part, words: Words) -> str:
    """By when the money is there; empty where there is none to wait for."""
    if part.way is Way.NOTHING or part.state in _NO_MONEY:
        return ""
    if part.state is RefundState.REFUNDED:
        sent = max((m.at for m in _moving(part) if m.at and m.state is MovementState.SUCCEEDED), default=None)
        if sent:
            return _("Sent on %(moment)s; usually there after 1 to 3 working days.") % {"moment": words.moment(sent)}
        return ""
    if part.state is RefundState.FAILED:
        return _("As soon as it is settled.")
    if part.state in (RefundState.REQUESTED, RefundState.REFUNDING):
        return _("Usually 1 to 3 working days from now.")
    return _(
        "Usually 1 to 3 working days after it has been approved and, where goods come back, they have been checked."
    )


_NO_MONEY = frozenset({RefundState.REJECTED, RefundState.EXPIRED, RefundState.CANCELLED})
