"""Which limit of a gateway account stands against a refund, and what it would take instead."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refunds.limits import Asked, breach, not_before, refundable_until
from workers.ports import NO_LIMITS, Limits

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


def asked(**changes: Any) -> Asked:
    return Asked(**({"amount_minor": 500, "currency": "EUR", "captured_minor": 2000, "captured_at": NOW} | changes))


@pytest.mark.parametrize(
    ("limits", "changes", "code", "alternatives"),
    [
        (Limits(currencies=frozenset({"CNY"})), {}, "currency_not_taken", ()),
        (Limits(longest_seconds=86_400), {"captured_at": NOW - timedelta(days=2)}, "payment_too_old", ()),
        (Limits(most_refunds=1), {"earlier": 1}, "too_many_refunds", ()),
        (Limits(partial=False), {}, "no_partial_refunds", ({"amount_minor": 2000},)),
        (Limits(minimum_minor={"EUR": 501}), {}, "amount_below_minimum", ({"amount_minor": 501},)),
        (Limits(step_minor={"EUR": 300}), {}, "amount_not_countable", ({"amount_minor": 300}, {"amount_minor": 600})),
        (Limits(step_minor={"EUR": 1000}), {}, "amount_not_countable", ({"amount_minor": 1000},)),
    ],
)
def test_each_limit_is_told_with_what_would_be_taken(limits, changes, code, alternatives):
    found = breach(limits, asked(**changes), now=NOW)
    assert found is not None
    assert (found.code, found.alternatives) == (code, alternatives)


@pytest.mark.parametrize(
    ("limits", "changes"),
    [
        (NO_LIMITS, {}),
        (Limits(currencies=frozenset({"EUR"})), {}),
        (Limits(longest_seconds=86_400), {"captured_at": NOW - timedelta(days=1)}),
        (Limits(longest_seconds=86_400), {"captured_at": None}),
        (Limits(most_refunds=2), {"earlier": 1}),
        (Limits(partial=False), {"amount_minor": 2000}),
        (Limits(minimum_minor={"EUR": 500, "USD": 900}), {}),
        (Limits(step_minor={"EUR": 100}), {}),
    ],
)
def test_on_its_right_side_a_limit_says_nothing(limits, changes):
    assert breach(limits, asked(**changes), now=NOW) is None


def test_what_no_other_amount_helps_against_comes_first():
    limits = Limits(partial=False, minimum_minor={"EUR": 900}, longest_seconds=1)
    found = breach(limits, asked(captured_at=NOW - timedelta(days=1)), now=NOW)
    assert found is not None
    assert found.code == "payment_too_old"


@given(st.integers(1, 10**6), st.integers(1, 10**4))
def test_every_amount_offered_instead_would_be_taken(amount, step):
    limits = Limits(step_minor={"EUR": step})
    found = breach(limits, asked(amount_minor=amount), now=NOW)
    assert (found is None) == (amount % step == 0)
    for instead in found.alternatives if found else ():
        assert breach(limits, asked(amount_minor=instead["amount_minor"]), now=NOW) is None


def test_the_clocks_of_a_payment():
    limits = Limits(interval_seconds=60, longest_seconds=3600)
    assert not_before(limits, NOW) == NOW + timedelta(seconds=60)
    assert refundable_until(limits, NOW) == NOW + timedelta(hours=1)
    assert not_before(limits, None) is not_before(NO_LIMITS, NOW) is refundable_until(NO_LIMITS, NOW) is None
