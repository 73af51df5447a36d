"""The window of one account: a minority of errors never narrows it, an outage does, and good answers end that."""

from itertools import cycle, islice

import pytest

from workers.window import FAILING_FROM, FIRST_SIZE, PAUSE_CAP_SECONDS, REMEMBERED, Window

MOST = 32


class Account:
    """Answers by a pattern ("." good, "x" an error), a whole window of calls at a time, a second each."""

    def __init__(self) -> None:
        self.window = Window(MOST)
        self.now = 100.0
        self.sizes: list[int] = []
        self.pauses: list[float] = []

    def answers(self, pattern: str) -> None:
        waiting = iter(pattern)
        while round_ := list(islice(waiting, self._size_after_pause())):
            began, self.now = self.now, self.now + 1.0
            for answer in round_:
                self.window.answered(healthy=answer == ".", began=began, now=self.now)
            self.sizes.append(self._size_after_pause())

    def _size_after_pause(self) -> int:
        if self.window.paused_until > self.now:
            self.pauses.append(self.window.paused_until - self.now)
            self.now = self.window.paused_until
        return self.window.size(self.now)


@pytest.fixture
def account() -> Account:
    return Account()


@pytest.mark.parametrize("pattern", [".", "x.", "xx..", "x.........", "xxx.......", "xxxxx.....", "x.x.x"])
def test_errors_up_to_half_never_narrow_the_window(account: Account, pattern: str) -> None:
    account.answers("".join(islice(cycle(pattern), 600)))
    assert account.sizes == sorted(account.sizes)
    assert account.sizes[-1] == MOST
    assert account.pauses == []


@pytest.mark.parametrize(
    ("before", "errors", "size", "pauses"),
    [
        ("", FAILING_FROM - 1, FIRST_SIZE, 0),
        ("", FAILING_FROM, FIRST_SIZE // 2, 0),
        ("." * 200, FAILING_FROM - 1, MOST, 0),
        ("." * 200, MOST, MOST // 2, 0),
        ("." * 200, MOST + 16, MOST // 4, 0),
        ("." * 200, MOST + 16 + 8 + 4 + 2, 1, 0),
        ("." * 200, MOST + 16 + 8 + 4 + 2 + 1, 1, 1),
        ("." * 200, MOST + 16 + 8 + 4 + 2 + 5, 1, 5),
    ],
)
def test_an_outage_halves_the_window_once_a_round_and_pauses_at_one(
    account: Account, before: str, errors: int, size: int, pauses: int
) -> None:
    """Controller check 42; upstream: TestControllerSyncJob."""
    account.answers(before)
    account.answers("x" * errors)
    assert account.sizes[-1] == size
    assert len(account.pauses) == pauses


def test_nearly_everything_failing_is_an_outage(account: Account) -> None:
    account.answers(("x" * 19 + ".") * 20)
    assert max(account.sizes[50:]) < FIRST_SIZE
    assert len(account.pauses) > 50


def test_pauses_double_up_to_their_cap(account: Account) -> None:
    account.answers("x" * 40)
    assert account.pauses[:5] == [1, 2, 4, 8, PAUSE_CAP_SECONDS]
    assert max(account.pauses) == PAUSE_CAP_SECONDS


def test_one_good_answer_at_one_ends_the_outage(account: Account) -> None:
    """Controller check 42; upstream: TestControllerSyncJob."""
    account.answers("x" * 100)
    del account.sizes[:]
    account.answers("." * (1 + 2 + 4 + 8 + 16))
    assert account.sizes == [2, 4, 8, 16, 32]


def test_after_an_outage_a_minority_of_errors_is_no_outage_either(account: Account) -> None:
    account.answers("x" * 100 + ".")
    account.answers("x.." * 100)
    assert account.sizes[-1] == MOST


def test_pauses_begin_short_again_after_a_good_answer(account: Account) -> None:
    account.answers("x" * 100 + ".")
    del account.pauses[:]
    account.answers("x" * 20)
    assert account.pauses[0] == 1


def test_a_success_begun_before_the_window_was_at_one_does_not_end_the_outage() -> None:
    window = Window(MOST)
    for n in range(30):
        window.answered(healthy=False, began=100.0 + n, now=100.5 + n)
    window.answered(healthy=True, began=90.0, now=200.0)
    assert window.is_failing()
    assert window.size(200.0) == 1


def test_calls_that_time_out_together_among_good_ones_do_not_narrow_the_window() -> None:
    """Three of ten hold their slots to the deadline, until these are all that is under way."""
    window = Window(MOST)
    started = [(100.0 + n / 100, n % 10 >= 3) for n in range(100)]
    for began, healthy in started:
        if healthy:
            window.answered(healthy=True, began=began, now=began + 0.05)
    for began, healthy in started:
        if not healthy:
            window.answered(healthy=False, began=began, now=began + 10)
    assert window.size(111.0) == MOST


def test_time_outs_of_nearly_all_narrow_the_window() -> None:
    window = Window(MOST)
    for round_ in range(8):
        began = 100.0 + 10 * round_
        window.answered(healthy=round_ % 4 == 0, began=began, now=began + 0.05)
        for n in range(REMEMBERED):
            window.answered(healthy=False, began=began + n / 1000, now=began + n / 1000 + 9)
    assert window.size(1000.0) == 1
