"""Room for calls: a window per account, slots left for others, and turns for claims that had no room."""

import pytest

from workers.rates import Grant, Rate, Rates, Wish
from workers.room import LEAST_WAIT_MS, MOST_WAIT_MS, Room
from workers.runtime import Limits
from workers.window import FIRST_SIZE


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
    room.open_pass("refunds", 1000)
    taken = 0
    while room.take(account):
        taken += 1
    room.open_pass("refunds", 1000)
    return taken


def answer(room: Room, account: str, *, healthy: bool, times: int = 1) -> None:
    for _ in range(times):
        room.started(account)
        room.released(account)
        room.returned(account, healthy=healthy, seconds=0.05)


def test_window_doubles_with_a_round_of_successes_up_to_half_of_the_slots(clock: Clock) -> None:
    room = make_room(clock)
    assert take_all(room, "a") == FIRST_SIZE
    answer(room, "a", healthy=True, times=8)
    assert take_all(room, "a") == 16
    answer(room, "a", healthy=True, times=100)
    assert take_all(room, "a") == 32


def test_account_at_one_waits_ever_longer_before_one_more_try(clock: Clock) -> None:
    room = make_room(clock)
    pauses = []
    for _ in range(30):
        clock.now += 60
        answer(room, "a", healthy=False)
        pauses.append(room.wait_ms("a"))
    assert pauses[-1] > 7_000
    assert take_all(room, "a") == 0
    clock.now += 60
    assert take_all(room, "a") == 1
    answer(room, "a", healthy=True)
    assert take_all(room, "a") == 2


def test_accounts_do_not_share_a_window(clock: Clock) -> None:
    room = make_room(clock)
    answer(room, "sick", healthy=False, times=15)
    assert take_all(room, "sick") == 4
    assert take_all(room, "well") == 8


def test_running_calls_take_room(clock: Clock) -> None:
    room = make_room(clock)
    for _ in range(5):
        room.started("a")
    assert take_all(room, "a") == 3


def test_nothing_is_taken_when_no_slot_is_free(clock: Clock) -> None:
    assert take_all(make_room(clock, free=0), "a") == 0


class Slots:
    """Call threads of which `busy` are in use."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.busy = 0

    def free(self) -> int:
        return self.slots - self.busy

    def fill(self, room: Room, account: str) -> int:
        taken = take_all(room, account)
        for _ in range(taken):
            room.started(account)
        self.busy += taken
        return taken


@pytest.mark.parametrize("slots", [2, 8, 64])
def test_accounts_that_never_answer_leave_slots_for_the_next(clock: Clock, slots: int) -> None:
    pool = Slots(slots)
    room = Room(slots, pool.free, monotonic=clock)
    for account in "abc":
        answer(room, account, healthy=True, times=100)
    assert pool.fill(room, "a") == slots // 2
    assert [pool.fill(room, account) for account in "bc"] == {2: [1, 0], 8: [2, 1], 64: [16, 8]}[slots]


def test_left_tells_how_many_claims_will_find_room(clock: Clock) -> None:
    pool = Slots(64)
    room = Room(64, pool.free, monotonic=clock)
    answer(room, "a", healthy=True, times=100)
    pool.fill(room, "b")
    take_all(room, "a")
    assert room.left("refunds") == take_all(room, "a") == 28


def test_what_is_left_is_told_of_the_accounts_that_a_queue_s_keys_ask_for(clock: Clock) -> None:
    room = make_room(clock)
    for queue, account in (("refunds", "a"), ("notifications", "email")):
        room.open_pass(queue, 10)
        assert room.take(account)
        room.started(account)
    answer(room, "a", healthy=False, times=15)
    assert (room.left("refunds"), room.left("notifications"), room.left("webhooks")) == (3, 7, FIRST_SIZE)


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


def test_turns_of_a_slow_account_follow_closely_so_that_none_of_its_slots_stays_idle(clock: Clock) -> None:
    room = make_room(clock)
    for _ in range(30):
        room.started("a")
        room.released("a")
        room.returned("a", healthy=False, seconds=10.0)
    clock.now += 60
    waits = [room.wait_ms("a") for _ in range(300)]
    assert waits == sorted(waits)
    assert waits[-1] == 3000


def test_turns_reserved_by_a_great_many_do_not_outlast_the_longest_wait(clock: Clock) -> None:
    room = make_room(clock)
    for _ in range(200_000):
        room.wait_ms("a")
    clock.now += MOST_WAIT_MS / 1000
    assert room.wait_ms("a") == LEAST_WAIT_MS


def test_a_slot_taken_for_a_call_that_has_gone_out_is_counted_once(clock: Clock) -> None:
    pool = Slots(64)
    room = Room(64, pool.free, monotonic=clock)
    room.open_pass("refunds", 3)
    for _ in range(3):
        room.take("a")
        room.started("a")
        pool.busy += 1
    assert room.left("refunds") == FIRST_SIZE - 3


def rated_room(clock: Clock, *, tokens: int, next_in: float) -> Room:
    """Account "a" gets so many tokens in each pass, and is told when there will be another one."""

    def buckets(wishes: list[Wish]) -> list[Grant]:
        return [Grant(min(tokens, wish.wanted), next_in) for wish in wishes]

    rates = Rates({"a": Rate("a", per_second=10.0, burst=5)}, buckets, monotonic=clock)
    return Room(64, lambda: 64, rates=rates, monotonic=clock)


def test_a_claim_needs_a_token_of_its_account_and_others_need_none(clock: Clock) -> None:
    room = rated_room(clock, tokens=3, next_in=1.0)
    assert take_all(room, "a") == 3
    assert take_all(room, "b") == FIRST_SIZE


@pytest.mark.parametrize(("next_in", "pause", "expected"), [(5.0, 2.0, 5.0), (2.0, 5.0, 5.0), (0.0, 0.0, 0.2)])
def test_a_claim_waits_for_the_later_of_the_accounts_rate_and_its_pause(
    clock: Clock, next_in: float, pause: float, expected: float
) -> None:
    """Controller check 15; upstream: TestMaxOfRateLimiter, TestItemFastSlowRateLimiter."""
    room = rated_room(clock, tokens=0, next_in=next_in)
    assert take_all(room, "a") == 0
    room.started("a")
    room.returned("a", healthy=False, seconds=0.05, quiet=pause)
    room.released("a")
    # Its turn begins there, and is a tenth of a second long at 10 calls a second.
    assert room.wait_ms("a") == pytest.approx(1000 * (expected + 0.1), abs=101)


def test_turns_of_an_account_with_a_rate_follow_at_that_rate(clock: Clock) -> None:
    room = rated_room(clock, tokens=0, next_in=1.0)
    take_all(room, "a")
    assert [room.wait_ms("a") for _ in range(3)] == [1100, 1200, 1300]


def test_an_account_that_asked_for_quiet_gets_no_call_before_its_end(clock: Clock) -> None:
    room = make_room(clock)
    room.started("a")
    room.returned("a", healthy=False, seconds=0.05, quiet=7.0)
    room.released("a")
    assert take_all(room, "a") == 0
    assert room.wait_ms("a") > 7000
    assert take_all(room, "b") == FIRST_SIZE
    clock.now += 7.0
    assert take_all(room, "a") > 0


def test_a_batch_of_one_account_s_keys_finds_room_as_shipped(clock: Clock) -> None:
    limits = Limits()
    room = make_room(clock, slots=limits.slots)
    answer(room, "a", healthy=True, times=200)
    assert take_all(room, "a") == limits.batch


def test_an_account_that_may_have_fewer_calls_has_no_more(clock: Clock) -> None:
    room = Room(64, lambda: 64, most={"email": 12}, monotonic=clock)
    for account in ("email", "a"):
        answer(room, account, healthy=True, times=200)
    assert (take_all(room, "email"), take_all(room, "a")) == (12, 32)
