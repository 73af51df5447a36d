"""Whose time runs in a state, and what is left of it after it stood still."""

from datetime import datetime

import pytest

from refunds.clocks import goes_on, goes_on_worked, runs_out
from refunds.policy import PolicySpec
from refunds.states import RefundState as S
from tests.unit.refunds.test_calendars import BERLIN, DAY_SECONDS, HOUR


def at(text: str) -> datetime:
    return datetime.fromisoformat(text + "+01:00")


FRIDAY = at("2026-12-04T10:00")


@pytest.mark.parametrize(
    ("state", "seconds", "ends"),
    [
        (S.REQUESTED, 24 * HOUR, "2026-12-07T10:00"),
        (S.IN_REVIEW, 48 * HOUR, "2026-12-08T10:00"),
        (S.INSPECTING, 7 * DAY_SECONDS, "2026-12-15T10:00"),
        (S.AWAITING_RETURN, 14 * DAY_SECONDS, "2026-12-19T00:00"),
        (S.OFFERED, 7 * DAY_SECONDS, "2026-12-12T00:00"),
        (S.REFUNDING, 3 * DAY_SECONDS, "2026-12-07T10:00"),
    ],
)
def test_the_shop_has_worked_days_the_customer_whole_days_money_seconds(state, seconds, ends):
    assert runs_out(state, BERLIN, start=FRIDAY, seconds=seconds) == at(ends)


@pytest.mark.parametrize(
    ("state", "deadline", "stopped", "goes", "ends"),
    [
        (S.IN_REVIEW, "2026-12-08T10:00", "2026-12-04T10:00", "2026-12-09T09:00", "2026-12-11T09:00"),
        (S.IN_REVIEW, "2026-12-08T10:00", "2026-12-04T10:00", "2026-12-05T09:00", "2026-12-09T00:00"),
        (S.IN_REVIEW, "2026-12-04T10:00", "2026-12-04T12:00", "2026-12-05T12:00", "2026-12-04T22:00"),
        (S.IN_REVIEW, "2026-12-03T10:00", "2026-12-04T10:00", "2026-12-08T09:00", "2026-12-07T09:00"),
        (S.IN_REVIEW, "2026-12-08T10:00", "2026-12-05T10:00", "2026-12-06T18:00", "2026-12-08T10:00"),
        (S.AWAITING_RETURN, "2026-12-19T00:00", "2026-12-04T10:00", "2026-12-04T11:00", "2026-12-22T00:00"),
        (S.AWAITING_RETURN, "2026-12-18T00:00", "2026-12-04T10:00", "2026-12-04T11:00", "2026-12-19T00:00"),
        (S.AWAITING_RETURN, "2026-12-18T09:00", "2026-12-04T10:00", "2026-12-04T11:00", "2026-12-18T10:00"),
        (S.REFUNDING, "2026-12-07T10:00", "2026-12-04T10:00", "2026-12-05T10:00", "2026-12-08T10:00"),
        (S.REFUNDING, "2026-12-07T10:00", "2026-12-05T10:00", "2026-12-04T10:00", "2026-12-07T10:00"),
    ],
    ids=[
        "two worked days are left",
        "days off are no part of them",
        "what was late stays as late",
        "days off make nothing later that was late",
        "a hold over days off moves nothing",
        "an hour makes a day, and a Saturday a Monday",
        "an hour makes a day",
        "a time of day stays one",
        "money has seconds",
        "time does not run back",
    ],
)
def test_what_was_left_is_left(state, deadline, stopped, goes, ends):
    assert goes_on(state, BERLIN, at(deadline), stopped_at=at(stopped), at=at(goes)) == at(ends)


def test_the_shop_is_waited_for_on_worked_days_in_whatever_state():
    stopped, goes = at("2026-12-04T10:00"), at("2026-12-07T10:00")
    moved = goes_on_worked(BERLIN, at("2026-12-10T10:00"), stopped_at=stopped, at=goes)
    assert moved == at("2026-12-11T10:00")


def test_a_policy_keeps_its_calendar():
    spec = PolicySpec(calendar=BERLIN)
    assert PolicySpec.from_json(spec.to_json()) == spec
    assert spec.to_json()["calendar"] == {
        "zone": "Europe/Berlin",
        "weekend": [6, 7],
        "holidays": ["2026-12-25", "2026-12-26"],
        "workdays": [],
    }
