"""Whose time runs in a state, and when it is over. Pure.

Who works for the shop has the days that are worked, the customer has whole days of his own, and money has seconds.
"""

from datetime import datetime, timedelta

from refunds.calendars import INSTANT, Calendar, end_of_worked_day, ends_with_a_day, ends_worked, is_end_of_day
from refunds.calendars import worked_seconds as worked
from refunds.states import RefundState

WAITS_FOR_SHOP = frozenset({RefundState.REQUESTED, RefundState.IN_REVIEW, RefundState.INSPECTING})
WAITS_FOR_CUSTOMER = frozenset({RefundState.OFFERED, RefundState.AWAITING_RETURN})


def runs_out(
    state: RefundState, calendar: Calendar, *, start: datetime, seconds: float, on_shop: bool = False
) -> datetime:
    """The deadline of a state that is entered at `start`; `on_shop`: in whatever state, the shop is waited for."""
    if on_shop or state in WAITS_FOR_SHOP:
        return ends_worked(calendar, start, seconds)
    if state in WAITS_FOR_CUSTOMER:
        return ends_with_a_day(calendar, start, seconds)
    return start + timedelta(seconds=seconds)


def goes_on(
    state: RefundState, calendar: Calendar, deadline: datetime, *, stopped_at: datetime, at: datetime
) -> datetime:
    """The deadline of a clock that stood still from `stopped_at` until `at`: what was left is left, what was late is as
    late, and a day that was begun is whole. Never earlier than it was."""
    if state in WAITS_FOR_SHOP:
        return goes_on_worked(calendar, deadline, stopped_at=stopped_at, at=at)
    moved = deadline + max(at - stopped_at, timedelta(0))
    if state in WAITS_FOR_CUSTOMER and is_end_of_day(calendar, deadline):
        return end_of_worked_day(calendar, moved - INSTANT)
    return moved


def goes_on_worked(calendar: Calendar, deadline: datetime, *, stopped_at: datetime, at: datetime) -> datetime:
    """The same where the shop is waited for, in whatever state."""
    return ends_worked(calendar, deadline, worked(calendar, stopped_at, at))
