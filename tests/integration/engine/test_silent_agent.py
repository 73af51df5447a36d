"""An agent is silent for 48 hours over a holiday: what the clock counts, who is told what, and that nothing that a
customer was promised comes sooner than it was promised."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from orders import clock
from refunds.calendars import Calendar, ends_worked
from refunds.models import Refund
from refunds.policy import PolicySpec
from refunds.selectors.due import due_page
from refunds.selectors.queues import Queue, queue
from refunds.services.acts import Approval, approve, hold, resume
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import incidents, messages
from tests.integration.engine.returns import AGENT, Courier, bought, fresh, in_force, pass_time, state, target, work

pytestmark = [pytest.mark.django_db(transaction=True)]
BERLIN = ZoneInfo("Europe/Berlin")
#: Friday before Whitsun: Saturday and Sunday are off, and Monday is a holiday.
FRIDAY, HOLIDAY = datetime(2031, 5, 30, 15, tzinfo=BERLIN), date(2031, 6, 2)
GERMAN = Calendar("Europe/Berlin", weekend=(6, 7), holidays=frozenset({HOLIDAY}))
#: 9 hours are left of Friday, 24 are Tuesday, and 15 of Wednesday make 48.
OVER = datetime(2031, 6, 4, 15, tzinfo=BERLIN)


@pytest.fixture
def courier() -> Courier:
    return Courier()


def now_is(at: datetime) -> None:
    pass_time(at - clock.now())


def asked(engine: Engine, courier: Courier, **rules: object) -> Refund:
    """On that Friday, of goods that the customer has, under the German calendar."""
    now_is(FRIDAY)
    in_force(calendar=GERMAN, **rules)
    order = bought(1000)
    ship(order)
    [refund] = request(order).refunds
    work(engine, courier, refund)
    return refund


def queues(refund: Refund) -> set[str]:
    every = {name: queue(name, channels=[refund.order.channel_id], principal_id=0) for name in Queue}
    return {name.value for name, found in every.items() if found.filter(pk=refund.pk).exists()}


def look(engine: Engine, courier: Courier, refund: Refund, at: datetime) -> None:
    """By the sweep alone, and more than once: nothing is said or done a second time."""
    now_is(at)
    for _ in range(2):
        work(engine, courier, refund)


def seconds(at: datetime | None) -> datetime:
    assert at is not None
    return at.replace(microsecond=0)


#: What becomes of it by the policy, every message that the customer gets, and the case that a person has then.
ENDS = {
    "wait": ("in_review", ["received"], ["review_overdue"]),
    "reject": ("rejected", ["received", "rejected"], []),
}


@pytest.mark.parametrize("outcome", ENDS)
def test_an_agent_is_silent_for_48_hours_over_a_holiday(engine: Engine, courier: Courier, outcome: str) -> None:
    refund = asked(engine, courier, review_outcome=outcome)
    promised = fresh(refund).deadline
    assert abs(seconds(promised) - OVER.astimezone(UTC)) < timedelta(minutes=1)
    # 48 hours by the wall clock are Sunday: nothing is late, and nobody is pressed.
    for at, where in (
        (FRIDAY + timedelta(hours=48), {"unassigned"}),
        (datetime(2031, 6, 2, 23, tzinfo=BERLIN), {"unassigned"}),
        (datetime(2031, 6, 3, 16, tzinfo=BERLIN), {"unassigned", "due_soon"}),
    ):
        look(engine, courier, refund, at)
        assert (state(refund), messages(refund), incidents(refund), queues(refund)) == (
            "in_review",
            ["received"],
            [],
            where,
        )
    # The sweep finds it by itself when its time is over.
    now_is(OVER + timedelta(minutes=2))
    due, _ = due_page("refunds_refund", None, 100)
    assert refund.pk in due
    look(engine, courier, refund, OVER + timedelta(minutes=3))
    assert (state(refund), messages(refund), incidents(refund)) == ENDS[outcome]


def test_whoever_wakes_up_late_still_decides_and_the_case_ends(engine: Engine, courier: Courier) -> None:
    refund = asked(engine, courier)
    look(engine, courier, refund, OVER + timedelta(hours=1))
    assert (queues(refund), incidents(refund)) == ({"unassigned", "overdue"}, ["review_overdue"])
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    assert (state(refund), incidents(refund), messages(refund)) == (
        "awaiting_return",
        [],
        ["received", "pickup_booked"],
    )


def test_a_hold_over_the_holiday_leaves_what_was_left(engine: Engine, courier: Courier) -> None:
    refund = asked(engine, courier)
    now_is(FRIDAY + timedelta(hours=1))
    hold(target(refund), until=None, actor=AGENT)
    look(engine, courier, refund, datetime(2031, 6, 5, 12, tzinfo=BERLIN))
    assert (incidents(refund), queues(refund)) == ([], {"unassigned"})
    resume(target(refund), actor=AGENT)
    # 47 worked hours were left: 12 of Thursday, 24 of Friday, 11 of Monday.
    expected = datetime(2031, 6, 9, 11, tzinfo=BERLIN).astimezone(UTC)
    assert abs(seconds(fresh(refund).deadline) - expected) < timedelta(minutes=1)


#: What a shop may change of its policy, each of which would make what runs end sooner.
SHORTER = {
    "all times": {"review_seconds": 60, "offer_seconds": 60, "return_seconds": 60, "inspect_seconds": 60},
    "no day off": {"calendar": Calendar("Europe/Berlin")},
    "another zone": {"calendar": Calendar("Asia/Shanghai", weekend=(6, 7), holidays=frozenset({HOLIDAY}))},
}


@pytest.mark.parametrize("change", SHORTER)
def test_no_change_of_policy_or_calendar_shortens_what_runs(engine: Engine, courier: Courier, change: str) -> None:
    refund = asked(engine, courier)
    promised = fresh(refund).deadline
    in_force(**SHORTER[change])
    for at in (FRIDAY + timedelta(hours=2), FRIDAY + timedelta(hours=50)):
        look(engine, courier, refund, at)
        assert (fresh(refund).deadline, incidents(refund)) == (promised, [])


@pytest.mark.parametrize("change", SHORTER)
def test_nor_what_it_comes_into_later(engine: Engine, courier: Courier, change: str) -> None:
    """A refund keeps the policy it was asked for under, for the states to come and after a hold as well."""
    refund = asked(engine, courier)
    in_force(**SHORTER[change])
    now_is(FRIDAY + timedelta(hours=1))
    hold(target(refund), until=None, actor=AGENT)
    now_is(FRIDAY + timedelta(hours=2))
    before = fresh(refund).deadline
    resume(target(refund), actor=AGENT)
    assert before is not None and seconds(fresh(refund).deadline) >= seconds(before)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    day = PolicySpec().return_seconds / 86_400
    assert fresh(refund).deadline >= FRIDAY + timedelta(days=day)


def test_a_policy_nobody_can_work_by_is_refused() -> None:
    with pytest.raises(ValueError, match="no day is worked"):
        ends_worked(Calendar(weekend=(1, 2, 3, 4, 5, 6, 7)), FRIDAY, 60)
