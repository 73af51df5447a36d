"""What a policy takes back: for how long after delivery, what not at all, and for which reasons. Pure.

Days are whole local days of the policy's calendar: who received a parcel on the 1st and has seven days may ask until
the midnight that ends the 8th.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from refunds.days import day_of, end_of

EACH_PARCEL, LAST_PARCEL = "each_parcel", "last_parcel"
WINDOW_FROM = (EACH_PARCEL, LAST_PARCEL)
EVIDENCE = ("none", "asked", "required")
FAULTS = ("customer", "seller", "carrier")


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Goods that are not taken back by the rule of this name: lines that carry all of `labels` and are of these skus.

    What is the seller's or the carrier's fault is taken back all the same, and so is what has not left yet, unless the
    rule is for that, too (`unshipped`): what is made for one customer.
    """

    rule: str
    labels: dict[str, str] = field(default_factory=dict)
    skus: tuple[str, ...] = ()
    fulfilment: str = ""
    unshipped: bool = False

    def covers(self, line: "LineFacts") -> bool:
        is_of = not self.skus or line.sku in self.skus
        fits = not self.fulfilment or line.fulfilment == self.fulfilment
        applies = line.has_left or self.unshipped or line.fulfilment != "ship"
        return is_of and fits and applies and has_labels(line.labels, self.labels)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a customer may ask. `text` by language; `evidence`: photos are not wanted, asked for, or needed."""

    code: str
    text: dict[str, str] = field(default_factory=dict)
    fault: str = "customer"
    evidence: str = "none"


@dataclass(frozen=True, slots=True)
class Window:
    """`days` None: for ever. `fault_days`: where he is not at fault; never less than `days`, None: the same."""

    days: int | None = None
    since: str = EACH_PARCEL
    fault_days: int | None = None
    zone: str = "UTC"

    def until(self, delivered_at: datetime | None, *, by_customer: bool) -> datetime | None:
        """The midnight after which it is over, in UTC; None: never, or not delivered."""
        days = self.days if by_customer else self._fault_days()
        if days is None or delivered_at is None:
            return None
        return end_of(day_of(delivered_at, self.zone) + timedelta(days=days), self.zone)

    def _fault_days(self) -> int | None:
        if self.days is None or self.fault_days is None:
            return self.days
        return max(self.days, self.fault_days)


@dataclass(frozen=True, slots=True)
class LineFacts:
    """A line as a policy judges it."""

    sku: str
    fulfilment: str
    labels: Mapping[str, Any]
    has_left: bool = True


@dataclass(frozen=True, slots=True)
class Refusal:
    """`code` is `excluded` or `window_over`; `rule` names the exclusion; `until`: when the window ended."""

    code: str
    rule: str = ""
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class TakesBack:
    """What a policy says of goods that somebody wants to give back."""

    window: Window
    exclusions: tuple[Exclusion, ...]

    def refusal(
        self, line: LineFacts, delivered_at: datetime | None, *, by_customer: bool, now: datetime
    ) -> Refusal | None:
        """Why these units are not taken back. `delivered_at`: since when the window runs, None while it does not;
        `by_customer`: the reason is his own, nobody's fault."""
        excluded = next((e for e in self.exclusions if e.covers(line)), None) if by_customer else None
        if excluded:
            return Refusal("excluded", excluded.rule)
        until = self.window.until(delivered_at, by_customer=by_customer)
        return Refusal("window_over", until=until) if until is not None and now >= until else None


def window_since(own: datetime | None, parcels: Iterable[datetime | None], since: str) -> datetime | None:
    """From when the window of units runs that were delivered at `own`: from then, or from the last parcel of the order,
    which may still be on its way (None)."""
    if since == EACH_PARCEL or own is None:
        return own
    all_of_them = list(parcels)
    return None if None in all_of_them else max(at for at in [own, *all_of_them] if at is not None)


def has_labels(labels: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    """All of `wanted` are there with these values; a value that is no text counts as it is written in JSON."""
    return all(name in labels and as_text(labels[name]) == value for name, value in wanted.items())


def as_text(value: Any) -> str:
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def exclusions_from_json(values: Iterable[Mapping[str, Any]]) -> tuple[Exclusion, ...]:
    return tuple(Exclusion(**{**value, "skus": tuple(value.get("skus", ()))}) for value in values)


def reasons_from_json(values: Iterable[Mapping[str, Any]]) -> tuple[Reason, ...]:
    return tuple(Reason(**value) for value in values)


def to_json(rules: Iterable[Exclusion | Reason]) -> list[dict[str, Any]]:
    return [{name: list(v) if isinstance(v, tuple) else v for name, v in asdict(rule).items()} for rule in rules]
