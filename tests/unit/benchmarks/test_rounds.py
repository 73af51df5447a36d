"""Rounds: a ratio is of what was reached in the same round."""

from benchmarks.rounds import Ran, Rounds


def rounds() -> Rounds:
    """b is twice as fast in each round, the second of which is a slow one for both; the client's CPU is nobody's."""
    of = Rounds("row")
    for seconds in (1.0, 10.0, 1.1):
        of.add(Ran("a", 100, seconds, {"web": 1.0, "client": 5.0}))
        of.add(Ran("b", 100, seconds / 2, {"web": 0.1, "client": 5.0}))
    return of


def test_ratios_are_taken_round_by_round() -> None:
    assert round(rounds().ratio("b", "a"), 3) == 2.0


def test_a_ratio_of_cpu_leaves_the_client_out() -> None:
    assert round(rounds().cpu_ratio("a", "b"), 3) == 10.0


def test_the_cpu_of_one_is_set_beside_that_of_others() -> None:
    assert rounds().cpu_table(["a"], ["b"]).rows == {"a / b": {"less CPU": 10.0}}


def test_the_table_has_a_row_for_each() -> None:
    rows = rounds().table().rows
    assert list(rows) == ["a", "b"]
    assert rows["a"] == {
        "median/s": 90.909,
        "least/s": 10.0,
        "most/s": 100.0,
        "refunds": 100,
        "web ms": 10.0,
        "client ms": 50.0,
        "client % CPU": 83.333,
    }
