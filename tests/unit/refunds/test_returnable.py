"""For how long, and what, a policy takes back."""

from datetime import UTC, datetime, timedelta

import pytest

from refunds.returnable import Exclusion, LineFacts, TakesBack, Window, window_since

NOW = datetime(2026, 10, 8, 15, 59, tzinfo=UTC)  # 23:59 in Shanghai
BOUGHT = datetime(2026, 10, 1, 3, tzinfo=UTC)
SHIRT = LineFacts("SHIRT", "ship", {})
FISH = LineFacts("FISH", "ship", {"fresh": True})
SEVEN = Window(7, zone="Asia/Shanghai")
FRESH = Exclusion("fresh food", {"fresh": "true"})


@pytest.mark.parametrize(
    ("later", "refused"),
    [(timedelta(), ""), (timedelta(seconds=60), "window_over"), (timedelta(days=9), "window_over")],
)
def test_the_window_ends_with_the_local_day(later: timedelta, refused: str) -> None:
    found = TakesBack(SEVEN, ()).refusal(SHIRT, BOUGHT, by_customer=True, now=NOW + later)
    assert (found.code if found else "") == refused


def test_it_says_when_it_ended() -> None:
    found = TakesBack(SEVEN, ()).refusal(SHIRT, BOUGHT, by_customer=True, now=NOW + timedelta(days=1))
    assert found is not None and found.until == datetime(2026, 10, 8, 16, tzinfo=UTC)


@pytest.mark.parametrize(("fault_days", "refused"), [(None, True), (30, False), (1, True)])
def test_a_fault_may_have_longer_and_never_less(fault_days: int | None, refused: bool) -> None:
    window = Window(7, fault_days=fault_days, zone="Asia/Shanghai")
    found = TakesBack(window, ()).refusal(SHIRT, BOUGHT, by_customer=False, now=NOW + timedelta(days=10))
    assert (found is not None) is refused


def test_without_days_there_is_no_end_and_before_delivery_it_has_not_begun() -> None:
    late = NOW + timedelta(days=1000)
    assert TakesBack(Window(), ()).refusal(SHIRT, BOUGHT, by_customer=True, now=late) is None
    assert TakesBack(SEVEN, ()).refusal(SHIRT, None, by_customer=True, now=late) is None


def test_what_is_excluded_is_refused_by_the_rules_name_unless_it_is_faulty() -> None:
    takes = TakesBack(Window(), (FRESH,))
    found = takes.refusal(FISH, BOUGHT, by_customer=True, now=NOW)
    assert found is not None and (found.code, found.rule) == ("excluded", "fresh food")
    assert takes.refusal(FISH, BOUGHT, by_customer=False, now=NOW) is None
    assert takes.refusal(SHIRT, BOUGHT, by_customer=True, now=NOW) is None


@pytest.mark.parametrize(
    ("exclusion", "covers"),
    [
        (Exclusion("a", skus=("SHIRT",)), True),
        (Exclusion("a", skus=("SHOE",)), False),
        (Exclusion("a", fulfilment="ship"), True),
        (Exclusion("a", fulfilment="digital"), False),
        (Exclusion("a", {"fresh": "true"}, skus=("SHIRT",)), False),
    ],
)
def test_which_lines_an_exclusion_covers(exclusion: Exclusion, covers: bool) -> None:
    assert exclusion.covers(SHIRT) is covers


@pytest.mark.parametrize(
    ("since", "parcels", "found"),
    [
        ("each_parcel", [BOUGHT, NOW], BOUGHT),
        ("last_parcel", [BOUGHT, NOW], NOW),
        ("last_parcel", [BOUGHT, None], None),
        ("last_parcel", [], BOUGHT),
    ],
)
def test_from_when_the_window_runs(since: str, parcels: list[datetime | None], found: datetime | None) -> None:
    assert window_since(BOUGHT, parcels, since) == found


def test_what_is_not_delivered_has_no_window() -> None:
    assert window_since(None, [BOUGHT], "last_parcel") is None
