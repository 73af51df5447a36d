"""Whether a gateway account would take a refund, known before it is asked: which limit stands against it, and what
else can be done. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from workers.ports import Limits

STORE_CREDIT = "store_credit"
#: An account that nobody could send anything to.
NOT_CONFIGURED = "account_not_configured"
#: What a breach is called.
CODES = (
    "currency_not_taken",
    "payment_too_old",
    "too_many_refunds",
    "no_partial_refunds",
    "amount_below_minimum",
    "amount_not_countable",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One refund of one payment. `captured_minor`: the whole payment, captured at `captured_at`; `earlier`: refunds of
    it that were sent or are to be."""

    amount_minor: int
    currency: str
    captured_minor: int
    captured_at: datetime | None = None
    earlier: int = 0


@dataclass(frozen=True, slots=True)
class Breach:
    """`figures` are the limit and what was asked, for machines; `alternatives` what the account would take instead."""

    code: str
    detail: str
    figures: dict[str, Any]
    alternatives: tuple[dict[str, Any], ...] = ()


def breach(limits: Limits, asked: Asked, *, now: datetime) -> Breach | None:
    """The first limit that stands against it; those that no other amount would help against come first."""
    return next(_breaches(limits, asked, now), None)


def refundable_until(limits: Limits, captured_at: datetime | None) -> datetime | None:
    """Until when the account gives the payment back; None: for ever, or nobody knows since when."""
    if not limits.longest_seconds or captured_at is None:
        return None
    return captured_at + timedelta(seconds=limits.longest_seconds)


def not_before(limits: Limits, last_sent_at: datetime | None) -> datetime | None:
    """From when on the account takes another refund of a payment."""
    if not limits.interval_seconds or last_sent_at is None:
        return None
    return last_sent_at + timedelta(seconds=limits.interval_seconds)


def _breaches(limits: Limits, asked: Asked, now: datetime) -> Iterator[Breach]:
    if limits.currencies and asked.currency not in limits.currencies:
        listed = sorted(limits.currencies)
        yield Breach("currency_not_taken", f"it takes {', '.join(listed)} only", {"currencies": listed})
    until = refundable_until(limits, asked.captured_at)
    if until and until < now:
        days = limits.longest_seconds // 86_400
        detail = f"it gives a payment back for {days} days, which ended {until:%Y-%m-%dT%H:%M:%SZ}"
        yield Breach("payment_too_old", detail, {"refundable_until": f"{until:%Y-%m-%dT%H:%M:%SZ}", "limit_days": days})
    if limits.most_refunds and asked.earlier >= limits.most_refunds:
        detail = f"it refunds a payment {limits.most_refunds} times at most, which it has been asked for already"
        yield Breach("too_many_refunds", detail, {"most_refunds": limits.most_refunds, "earlier": asked.earlier})
    yield from _amount_breaches(limits, asked)


def _amount_breaches(limits: Limits, asked: Asked) -> Iterator[Breach]:
    amount, currency = asked.amount_minor, asked.currency
    if not limits.partial and amount != asked.captured_minor:
        detail = f"it refunds a payment as a whole only: {asked.captured_minor}, not {amount} (minor units)"
        whole = ({"amount_minor": asked.captured_minor},)
        yield Breach("no_partial_refunds", detail, {"whole_minor": asked.captured_minor}, whole)
    least = limits.minimum_minor.get(currency, 0)
    if amount < least:
        detail = f"it refunds at least {least} {currency} (minor units), not {amount}"
        yield Breach("amount_below_minimum", detail, {"minimum_minor": least}, ({"amount_minor": least},))
    if amount % (step := limits.step_of(currency)):
        detail = f"it counts {currency} in steps of {step} (minor units): {amount} is none"
        below = amount - amount % step
        near = tuple({"amount_minor": minor} for minor in (below, below + step) if minor)
        yield Breach("amount_not_countable", detail, {"step_minor": step}, near)
