"""How many calls one account may have under way, by what it answered lately. Pure: time and chance are arguments.

The rule. An account is failing while at least 15 of its last 20 answers are errors; what it has not answered yet counts
as good. While it is not failing every success widens its window by one, and an error changes nothing: a minority of
errors, and even half, never holds up the rest. While it is failing an error halves the window, once for all calls that
were under way together; at one it pauses, twice as long each time, before one more call. A success at one ends that:
the old answers are forgotten, and the window doubles with each round again.

"Last" is told by when calls began, not by when they came back: calls that time out together come back together, and
would otherwise look like an account that answers nothing else.
"""

from bisect import insort

from workers.backoff import backoff_seconds

FIRST_SIZE = 8
REMEMBERED = 20
FAILING_FROM = 15
PAUSE_BASE_SECONDS = 1.0
PAUSE_CAP_SECONDS = 10.0


class Window:
    """Between one and `most` calls; none during a pause. Times are monotonic seconds."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = min(FIRST_SIZE, most)
        self._recent: list[tuple[float, bool]] = []
        self._errors_at_one = 0
        self._narrowed_at = float("-inf")
        self.paused_until = float("-inf")

    def size(self, now: float) -> int:
        return 0 if now < self.paused_until else self._size

    def is_failing(self) -> bool:
        return sum(not healthy for _, healthy in self._recent) >= FAILING_FROM

    def answered(self, *, healthy: bool, began: float, now: float, jitter: float = 0.0) -> None:
        """Take note of an answer; `jitter` in [0, 1) is the part taken off a pause."""
        insort(self._recent, (began, healthy))
        del self._recent[:-REMEMBERED]
        is_news = began >= self._narrowed_at
        if healthy:
            self._widen(is_probe=is_news and self._size == 1)
        elif is_news and self.is_failing():
            self._narrow(now, jitter)

    def pause(self, until: float) -> None:
        """The account has said when it may be called again."""
        self.paused_until = max(self.paused_until, until)

    def _widen(self, *, is_probe: bool) -> None:
        if is_probe:
            self._recent.clear()
        if not self.is_failing():
            self._errors_at_one = 0
            self._size = min(self._most, self._size + 1)

    def _narrow(self, now: float, jitter: float) -> None:
        self._narrowed_at = now
        if self._size == 1:
            self._errors_at_one += 1
            self.paused_until = now + backoff_seconds(
                self._errors_at_one, base=PAUSE_BASE_SECONDS, cap=PAUSE_CAP_SECONDS, jitter=jitter
            )
        self._size = max(1, self._size // 2)
