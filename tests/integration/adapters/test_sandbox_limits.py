"""The sandbox keeps the limits that a payment's script states, as a real gateway would."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.integration.adapters.conftest import Sandbox
from tests.integration.adapters.peers import budget
from workers.ports import Accepted, Movement, Refused

Make = Callable[..., Movement]
OLD = (datetime.now(UTC) - timedelta(days=2)).isoformat()


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ({"limits": {"partial": False}, "captured_minor": 2000}, "no_partial_refunds"),
        ({"limits": {"minimum_minor": {"EUR": 1001}}}, "amount_below_minimum"),
        ({"limits": {"currencies": ["CNY"]}}, "currency_not_taken"),
        ({"limits": {"longest_days": 1}, "captured_at": OLD}, "payment_too_old"),
    ],
)
def test_what_goes_against_a_limit_is_refused(sandbox: Sandbox, movement: Make, script: Any, code: str) -> None:
    asked = movement()
    sandbox.script(asked.payment_reference, **script)
    reply = sandbox.gateway.refund(asked, budget=budget())
    assert isinstance(reply, Refused)
    assert (reply.code, reply.retryable) == (code, False)


def test_one_refund_too_many_is_refused(sandbox: Sandbox, movement: Make) -> None:
    first, second = movement(1), movement(2)
    sandbox.script(first.payment_reference, limits={"most_refunds": 1})
    assert isinstance(sandbox.gateway.refund(first, budget=budget()), Accepted)
    again = sandbox.gateway.refund(second, budget=budget())
    assert isinstance(again, Refused)
    assert again.code == "too_many_refunds"


def test_what_comes_too_soon_may_come_again(sandbox: Sandbox, movement: Make) -> None:
    first, second = movement(1), movement(2)
    sandbox.script(first.payment_reference, limits={"interval_seconds": 60})
    assert isinstance(sandbox.gateway.refund(first, budget=budget()), Accepted)
    soon = sandbox.gateway.refund(second, budget=budget())
    assert isinstance(soon, Refused)
    assert soon.retryable
    assert 50 < soon.retry_after <= 60
    assert isinstance(sandbox.gateway.refund(first, budget=budget()), Accepted)
