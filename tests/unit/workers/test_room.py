"""Room for calls: windows that grow and shrink, and at most half of the slots per account."""

import pytest

from workers.room import FIRST_WINDOW, LEAST_WAIT_MS, MOST_WAIT_MS, Room


class Clock:
    """Monotonic seconds that pass when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def make_room(clock: Clock, *, slots: int = 64, free: int | None = None) -> Room:
    return Room(slots, lambda: slots if free is None else free, monotonic=clock)


def take_all(room: Room, account: str) -> int:
    room.open_pass()
    taken = 0
    while room.take(account):
        taken += 1
    room.open_pass()
    return taken


def answer(room: Room, account: str, *, healthy: bool, times: int = 1) -> None:
    for _ in range(times):
        room.started(account)
        room.released(account)
        room.returned(account, healthy=healthy, seconds=0.05)


def test_window_doubles_with_a_round_of_successes_up_to_half_of_the_slots(clock: Clock) -> None:
    room = make_room(clock)
    assert take_all(room, "a") == FIRST_WINDOW
    answer(room, "a", healthy=True, times=8)
    assert take_all(room, "a") == 16
    answer(room, "a", healthy=True, times=100)
    assert take_all(room, "a") == 32


def test_window_halves_once_for_calls_that_fail_together(clock: Clock) -> None:
    room = make_room(clock)
    answer(room, "a", healthy=True, times=100)
    answer(room, "a", healthy=False, times=20)
    assert take_all(room, "a") == 16
    clock.now += 1
    answer(room, "a", healthy=False)
    assert take_all(room, "a") == 8


def test_window_grows_by_one_a_round_after_an_error(clock: Clock) -> None:
    room = make_room(clock)
    answer(room, "a", healthy=False)
    assert take_all(room, "a") == 4
    answer(room, "a", healthy=True, times=5)
    assert take_all(room, "a") == 5


def test_account_at_one_waits_ever_longer_before_one_more_try(clock: Clock) -> None:
    room = make_room(clock)
    pauses = []
    for _ in range(10):
        clock.now += 60
        answer(room, "a", healthy=False)
        pauses.append(room.wait_ms("a"))
    assert pauses[-1] > 20_000
    assert take_all(room, "a") == 0
    clock.now += 60
    assert take_all(room, "a") == 1
    answer(room, "a", healthy=True, times=2)
    assert take_all(room, "a") == 2


def test_accounts_do_not_share_a_window(clock: Clock) -> None:
    room = make_room(clock)
    answer(room, "sick", healthy=False, times=1)
    assert take_all(room, "sick") == 4
    assert take_all(room, "well") == 8


def test_running_calls_take_room(clock: Clock) -> None:
    room = make_room(clock)
    for _ in range(5):
        room.started("a")
    assert take_all(room, "a") == 3


def test_no_more_is_taken_than_slots_are_free(clock: Clock) -> None:
    room = make_room(clock, free=3)
    assert take_all(room, "a") == 3


def test_what_a_pass_took_and_did_not_use_is_free_in_the_next(clock: Clock) -> None:
    room = make_room(clock)
    assert take_all(room, "a") == take_all(room, "a") == 8


def test_each_claim_without_room_gets_a_turn_of_its_own(clock: Clock) -> None:
    room = make_room(clock)
    answer(room, "a", healthy=True, times=100)
    waits = [room.wait_ms("a") for _ in range(2000)]
    assert waits[0] == LEAST_WAIT_MS
    assert waits == sorted(waits)
    assert 2500 < waits[-1] < 3500, "2000 claims at 32 per 50 ms"


def test_wait_has_an_end(clock: Clock) -> None:
    room = make_room(clock)
    assert max(room.wait_ms("a") for _ in range(200_000)) == MOST_WAIT_MS
