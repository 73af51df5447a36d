"""A row that would overrun ends with what it has, and all of them together end in time."""

from benchmarks.budgets import FULL, SETTING_UP, Budget, budget
from benchmarks.stages import ROWS


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def rounds_of(seconds: list[float], *, within: float) -> tuple[int, list[str]]:
    clock = Clock()
    limit, done = Budget(within, clock), 0
    for number in limit.rounds(len(seconds), of="rounds"):
        clock.now += seconds[number]
        done += 1
    return done, limit.cut


def test_what_fits_is_done() -> None:
    assert rounds_of([10, 10, 10], within=30) == (3, [])


def test_a_round_that_would_not_fit_is_left_out_and_said_so() -> None:
    assert rounds_of([10, 15, 10], within=39) == (2, ["2 of 3 rounds"])


def test_one_round_is_done_in_any_case() -> None:
    assert rounds_of([100, 1, 1], within=30) == (1, ["1 of 3 rounds"])


def test_a_full_run_ends_within_twenty_minutes() -> None:
    assert sum(FULL.values()) + SETTING_UP <= 20 * 60


def test_each_row_has_a_budget_in_a_full_run_alone() -> None:
    assert set(FULL) == set(ROWS)
    assert [budget(row, quick=False).seconds for row in ROWS] == [FULL[row] for row in ROWS]
    assert all(budget(row, quick=True).seconds > 20 * 60 for row in ROWS)
