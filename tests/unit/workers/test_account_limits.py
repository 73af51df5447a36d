"""Limits that the configuration states of a gateway account."""

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from workers import bootstrap
from workers.adapters.account_limits import limits_stated
from workers.ports import NO_LIMITS, Limits


def stated(**limits: Any) -> Limits:
    return limits_stated("bank", {"adapter": "http", "limits": limits})


def test_an_account_states_its_limits():
    told = stated(
        partial=False,
        most_refunds=50,
        interval_seconds=60,
        longest_days=365,
        minimum_minor={"CNY": 1},
        currencies=["CNY"],
        counting="adyen",
    )
    assert told == Limits(
        partial=False,
        most_refunds=50,
        interval_seconds=60,
        longest_seconds=365 * 86_400,
        minimum_minor={"CNY": 1},
        currencies=frozenset({"CNY"}),
        step_minor=told.step_minor,
    )
    assert told.step_of("CVE") == 100


@pytest.mark.parametrize(
    "limits",
    [
        {"most": 3},
        {"partial": 1},
        {"most_refunds": -1},
        {"longest_days": "365"},
        {"counting": "nobody"},
        {"minimum_minor": 5},
    ],
)
def test_what_is_no_limit_is_refused_with_the_account(limits):
    with pytest.raises(ImproperlyConfigured, match="account bank"):
        stated(**limits)


def test_stripe_counts_some_currencies_coarser(settings):
    settings.GATEWAY_ACCOUNTS = {"stripe-eu": {"adapter": "stripe", "api_key": "sk", "limits": {"longest_days": 180}}}
    limits = bootstrap.limits_of("stripe-eu")
    assert (limits.step_of("KWD"), limits.step_of("EUR"), limits.longest_seconds) == (10, 1, 180 * 86_400)


def test_an_account_that_is_not_configured_has_none():
    assert bootstrap.limits_of("nowhere") == NO_LIMITS
