"""Limits of a gateway account: its adapter's own, and what the configuration states of it (docs/gateways.md)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from orders.currencies import COUNTINGS
from workers.ports import NO_LIMITS, Limits

#: https://docs.stripe.com/currencies: amounts of currencies that Stripe counts coarser. It sets no least amount of a
#: refund and no number of them ("more than one refund against a charge", https://docs.stripe.com/refunds); how long a
#: payment can be refunded depends on the method it was paid with, so that is for the account to state.
STRIPE = Limits(step_minor=COUNTINGS["stripe"].steps_minor())
BY_ADAPTER: Mapping[str, Limits] = {"stripe": STRIPE}

_STATED = ("partial", "most_refunds", "interval_seconds", "longest_days", "minimum_minor", "currencies", "counting")


def limits_stated(account: str, config: Mapping[str, Any]) -> Limits:
    """The account's limits. Raises ImproperlyConfigured for what is none."""
    stated = config.get("limits", {})
    own = BY_ADAPTER.get(config.get("adapter", ""), NO_LIMITS)
    try:
        return replace(own, **_read(stated))
    except (TypeError, ValueError, KeyError, AttributeError) as odd:
        known = ", ".join(_STATED)
        raise ImproperlyConfigured(f"account {account}: limits are {known}; this is none: {stated!r}") from odd


def _read(stated: Mapping[str, Any]) -> dict[str, Any]:
    if unknown := stated.keys() - set(_STATED):
        raise KeyError(*unknown)
    read: dict[str, Any] = {
        name: _count(stated[name]) for name in ("most_refunds", "interval_seconds") if name in stated
    }
    if "partial" in stated:
        read["partial"] = _truth(stated["partial"])
    if "longest_days" in stated:
        read["longest_seconds"] = _count(stated["longest_days"]) * 86_400
    if "minimum_minor" in stated:
        read["minimum_minor"] = {str(code): _count(minor) for code, minor in stated["minimum_minor"].items()}
    if "currencies" in stated:
        read["currencies"] = frozenset(map(str, stated["currencies"]))
    if "counting" in stated:
        read["step_minor"] = COUNTINGS[stated["counting"]].steps_minor()
    return read


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(value)
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)
    return value
