"""Running refunds follow a new version unless their money is claimed; conditions say how far that has come."""

import pytest

from refunds.declared.rollout import Running, batch, conditions


@pytest.mark.parametrize(
    ("movable", "suspended", "most", "count"),
    [(0, False, 100, 0), (50, False, 100, 50), (500, False, 100, 100), (500, True, 100, 0)],
)
def test_how_many_are_planned_anew_in_one_pass(movable: int, suspended: bool, most: int, count: int) -> None:
    assert batch(Running({1: movable}, movable), suspended=suspended, most=most) == count


@pytest.mark.parametrize(
    ("seen", "in_force", "suspended", "said"),
    [
        (Running({}, 0), None, False, {"Available": ("False", "NothingInForce")}),
        (Running({}, 0), 2, False, {"Available": ("True", "InForce"), "Progressing": ("False", "Complete")}),
        (Running({1: 9, 2: 5}, 7), 2, False, {"Available": ("True", "InForce"), "Progressing": ("True", "Replanning")}),
        (Running({1: 9}, 7), 2, True, {"Available": ("True", "InForce"), "Progressing": ("False", "Suspended")}),
        (Running({1: 2}, 0), 2, False, {"Available": ("True", "InForce"), "Progressing": ("False", "Complete")}),
    ],
)
def test_what_is_said(seen: Running, in_force: int | None, suspended: bool, said: dict[str, tuple[str, str]]) -> None:
    found = {c.type: (c.status, c.reason) for c in conditions(seen, in_force=in_force, suspended=suspended)}
    assert found == said


def test_those_that_end_on_older_versions_are_told() -> None:
    [_, progress] = conditions(Running({1: 2, 2: 9}, 0), in_force=2, suspended=False)
    assert "2 end on older versions" in progress.message
