"""A batch that raises is repeated item by item, unless the database is away."""

from collections.abc import Sequence

from workers.isolation import Isolation


class Away(Exception):
    """Stands for a database error."""


def make_isolation() -> Isolation:
    return Isolation((Away,), lambda: None)


def failing_for(bad: set[int], error: Exception, seen: list[list[int]]):
    def work(items: Sequence[int]) -> list[int]:
        seen.append(list(items))
        if bad & set(items):
            raise error
        return list(items)

    return work


def test_a_batch_that_goes_well_is_done_once() -> None:
    seen: list[list[int]] = []
    (part,) = make_isolation().run([1, 2, 3], failing_for(set(), ValueError(), seen))
    assert part.result == [1, 2, 3]
    assert len(seen) == 1


def test_a_poison_item_fails_alone() -> None:
    seen: list[list[int]] = []
    parts = make_isolation().run([1, 2, 3], failing_for({2}, ValueError(), seen))
    assert [part.result for part in parts] == [[1], None, [3]]
    assert isinstance(parts[1].error, ValueError)


def test_a_single_item_is_not_repeated() -> None:
    seen: list[list[int]] = []
    make_isolation().run([2], failing_for({2}, ValueError(), seen))
    assert seen == [[2]]


def test_two_database_errors_in_a_row_say_that_it_is_away() -> None:
    seen: list[list[int]] = []
    parts = make_isolation().run(list(range(10)), failing_for(set(range(10)), Away(), seen))
    assert len(seen) == 3
    assert [item for part in parts for item in part.items] == list(range(10))
    assert all(isinstance(part.error, Away) for part in parts)


def test_one_item_s_database_error_does_not_stop_the_others() -> None:
    parts = make_isolation().run([1, 2, 3, 4], failing_for({2}, Away(), []))
    assert [part.result for part in parts] == [[1], None, [3], [4]]
