"""Goals say whether they are reached."""

import pytest

from benchmarks.goals import Goal


@pytest.mark.parametrize(
    ("goal", "reached", "is_reached"),
    [(">= 0.5", 0.5, True), (">= 0.5", 0.49, False), ("<= 1.1", 1.1, True), ("<= 1.1", 1.2, False)],
)
def test_a_goal_is_reached_from_its_bound_on(goal, reached, is_reached) -> None:
    assert Goal("drain", goal, reached).is_reached is is_reached


def test_a_missed_goal_says_so() -> None:
    assert Goal("drain, ours / tuned", ">= 25", 6.789).text().split()[-4:] == [">=", "25", "6.79", "MISSED"]
