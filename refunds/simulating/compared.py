"""What differs between what was decided and what another policy would have decided."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from refunds.money.drawn import AMOUNTS, Sheet
from refunds.policy import PolicySpec
from refunds.simulating.asked import Asked
from refunds.simulating.outcomes import FirstStep, NotAsItWas, Outcome, drawn, first_route, outcome


@dataclass(frozen=True, slots=True)
class Difference:
    """`what` differs, as people read it; for amounts `would` is which way."""

    what: str
    was: str
    would: str


@dataclass(frozen=True, slots=True)
class Compared:
    was: Outcome
    would: Outcome
    differences: tuple[Difference, ...]


def compare(asked: Asked, before: PolicySpec, after: PolicySpec) -> Compared:
    """`before`: what it was decided by. Raises NotAsItWas where the rows do not even say any more what was decided: it
    is drawn up anew, and has to be what it was."""
    again = drawn(asked, asked.units, before, first_route(asked, before))
    if _worth(again) != _worth(asked.sheet):
        raise NotAsItWas("its order has changed since")
    was, would = outcome(asked, before, before=before), outcome(asked, after, before=before)
    if was.refused:
        raise NotAsItWas("by what is known now its own policy would not have taken it back")
    return Compared(was, would, tuple(_differences(was, would)))


def _worth(sheet: Sheet) -> tuple[object, ...]:
    """Names of lines may have changed, and are worth nothing."""
    return (sheet.lines, sheet.adjustments, *(getattr(sheet, name) for name in AMOUNTS))


_YES_OR_NO = {True: "yes", False: "no"}
#: What is told, and how it reads.
_WORDS = (("way", "route"), ("way back", "way_back"), ("paid on", "pay_on"), ("paid to", "refund_to"))
_FLAGS = (
    ("second person", "needs_second"),
    ("stop confirmed", "confirms_stop"),
    ("credit note awaited", "awaits_credit_note"),
)
_AMOUNTS = (("fees", "fees_minor"), ("amount", "amount_minor"))


def _differences(was: Outcome, would: Outcome) -> Iterator[Difference]:
    if would.refused:
        yield Difference(
            "taken back", "yes", f"{'no' if would.first is FirstStep.REFUSED else 'in part'}: {would.refused}"
        )
    if would.first is FirstStep.REFUSED:
        return
    if was.first is not would.first:
        yield Difference("first step", was.first.value, would.first.value)
    for what, one, other in _unequal(_WORDS, was, would):
        if one and other:
            yield Difference(what, one.replace("_", " "), other.replace("_", " "))
    for what, one, other in _unequal(_FLAGS, was, would):
        yield Difference(what, _YES_OR_NO[one], _YES_OR_NO[other])
    for what, one, other in _unequal(_AMOUNTS, was, would):
        yield Difference(what, "", "higher" if other > one else "lower")


def _unequal(names: Iterable[tuple[str, str]], was: Outcome, would: Outcome) -> Iterator[tuple[str, Any, Any]]:
    for what, name in names:
        if getattr(was, name) != getattr(would, name):
            yield what, getattr(was, name), getattr(would, name)
