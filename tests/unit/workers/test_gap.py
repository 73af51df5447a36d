"""The gap between passes: it grows under load, and a click on an idle system never waits for it."""

from workers.gap import FEW, FREE_PASSES, MOST_SECONDS, SMALL, Gap


def after(*passes: int | None) -> float:
    """The seconds left after passes of so many keys; None: nothing had come."""
    gap = Gap(monotonic=lambda: 0.0)
    for size in passes:
        if size is None:
            gap.waited()
        else:
            gap.passed(size)
    return gap.seconds_left()


def test_a_click_and_its_messages_never_wait() -> None:
    assert after() == after(*[1] * FREE_PASSES) == 0


def test_small_passes_that_always_find_the_next_waiting_grow_it_to_its_most() -> None:
    """Controller check 26; upstream: TestUpdateJobRequeue, TestJobBackoff."""
    assert 0 < after(*[1] * (FREE_PASSES + 1)) < after(*[1] * (FREE_PASSES + 2)) <= MOST_SECONDS
    assert after(*[1] * 1000) == MOST_SECONDS


def test_a_pump_that_has_to_wait_for_work_begins_at_once() -> None:
    assert after(*[1] * 1000, None) == 0


def test_a_gap_that_gathers_next_to_nothing_is_given_up() -> None:
    gap = Gap(monotonic=lambda: 0.0)
    for _ in range(FREE_PASSES + 1):
        gap.passed(1)
    gap.gathered(FEW)
    assert gap.seconds_left() > 0
    gap.gathered(FEW - 1)
    assert gap.seconds_left() == 0


def test_full_passes_need_no_gap() -> None:
    assert after(*[1] * 1000, *[SMALL] * 1000) == 0
