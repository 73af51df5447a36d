"""Money that no gateway takes: the time to pay ends what has not left, and nothing else."""

import pytest

from refunds import movements
from refunds.decide import decide
from refunds.observing import observe
from refunds.policy import PolicySpec
from refunds.seen import Seen
from refunds.states import RefundState, Route
from tests.unit.refunds.shorthand import FIRST_SENT, movement, replace, second

POLICY = PolicySpec()
HOUR = 3600


def paying(*held: str, **facts: object) -> Seen:
    """An instant refund that is being paid, each of its movements of 10.00 EUR and written in short."""
    it = tuple(replace(movement(text), number=f"RF-1-{n}") for n, text in enumerate(held, start=1))
    seen = Seen(RefundState.REFUNDING, Route.INSTANT, 1000 * max(1, len(held)), "EUR", FIRST_SENT, it)
    return replace(seen, **facts)  # type: ignore[arg-type]


NOT_IN_TIME = [
    # its money is                                 is given up  and it goes
    (["intended idle"], ["RF-1-1"], "fail"),
    (["intended idle", "intended idle"], ["RF-1-1", "RF-1-2"], "fail"),
    (["succeeded idle id:a", "intended idle"], ["RF-1-2"], "fail"),
    (["pending idle id:a", "intended idle"], ["RF-1-2"], "-"),
    (["intended unknown", "intended idle"], ["RF-1-2"], "-"),
    # What may have moved, or still may, is nobody's to give up.
    (["intended sent"], [], "-"),
    (["intended unknown"], [], "-"),
    (["pending idle id:a"], [], "-"),
    (["succeeded sent #2 id:a"], [], "-"),
]


@pytest.mark.parametrize(("held", "given_up", "goes"), NOT_IN_TIME)
def test_the_time_to_pay_ends_what_has_not_left(held: list[str], given_up: list[str], goes: str) -> None:
    """Controller check 46; upstream: TestJobBackoffOnRestartPolicyNever, TestSyncJobPastDeadline. Controller check 80;
    upstream: kopf test_retry_error_delays_handler, kopf test_fatal_error_stops_handler, kopf
    test_retries_limited_handler_fails, kopf test_timed_out_handler_fails, kopf test_delayed_handlers_progress."""
    it = paying(*held, acknowledged=True, deadline=second(HOUR))
    early, late = (decide(it, POLICY, now=second(at)) for at in (HOUR - 1, HOUR))
    assert (early.given_up, early.verbs) == ({}, ())
    assert (list(late.given_up), " ".join(late.verbs) or "-") == (given_up, goes)
    assert "RF-1-1" not in late.sends
    assert decide(replace(it, held_until=second(2 * HOUR)), POLICY, now=second(HOUR)).given_up == {}


def test_what_was_given_up_is_failed_for_good_and_told() -> None:
    """Controller check 46; upstream: TestJobBackoffOnRestartPolicyNever, TestSyncJobPastDeadline."""
    late = decide(paying("intended idle", deadline=second(0)), POLICY, now=second(0))
    assert (late.messages, late.incidents, late.deadline) == (("failed",), ("refund_failed",), None)
    lost = movements.give_up(movement("intended idle"))
    failed = replace(paying(), state=RefundState.FAILED, movements=(lost,))
    [moved] = [c for c in observe(failed, now=second(0)) if c.type == "MoneyMoved"]
    assert (moved.reason, moved.message) == ("Failed", "It could not be sent in time.")


def test_the_time_to_pay_begins_when_it_may_be_paid() -> None:
    for state in (RefundState.REQUESTED, RefundState.REFUNDING):
        it = replace(paying("intended idle"), state=state)
        assert decide(it, POLICY, now=second(5)).deadline == second(5 + POLICY.send_seconds)
