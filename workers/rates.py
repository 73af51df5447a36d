"""How often an account may be called: a token bucket in Redis for each, shared by all processes.

Before each pass tokens are drawn for what the windows would let it begin, in one round trip for all accounts. What is
left of them goes back with the next draw and is never used later: so no more calls than `burst` ever leave together,
and `per_second` of them in the long run. An emptied Redis fills the buckets once. Where it cannot be reached nothing is
limited but by the windows: no pump gets new keys then either.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import redis

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rate:
    """So many calls of an account per second, and up to `burst` together after a quiet time."""

    account: str
    per_second: float
    burst: int


@dataclass(frozen=True, slots=True)
class Wish:
    """Tokens wanted of one account's bucket, and those of its last draw that were not used."""

    rate: Rate
    given_back: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Grant:
    """Tokens of one bucket, and the seconds until it has another one."""

    tokens: int
    next_in: float


#: A grant for each wish; None: nobody can say.
Buckets = Callable[[Sequence[Wish]], Sequence[Grant] | None]


class Rates:
    """`rates` by what the room calls an account; several may share one bucket. Those without a rate have no limit."""

    def __init__(
        self, rates: Mapping[str, Rate], buckets: Buckets, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._rates = rates
        self._buckets = buckets
        self._monotonic = monotonic
        self._tokens: dict[str, int] = {}
        self._next_at: dict[str, float] = {}

    def draw(self, wanted: Callable[[str], int]) -> None:
        """Before a pass: tokens for as many calls as it may want of each account."""
        wishes: dict[Rate, int] = defaultdict(int)
        for slot, rate in self._rates.items():
            wishes[rate] += max(0, wanted(slot))
        asked = [Wish(rate, self._tokens.get(rate.account, 0), n) for rate, n in wishes.items()]
        asked = [wish for wish in asked if wish.wanted or wish.given_back]
        granted = self._buckets(asked) if asked else []
        self._tokens.clear()
        if granted is None:
            granted = [Grant(wish.wanted, 0.0) for wish in asked]
        now = self._monotonic()
        for wish, grant in zip(asked, granted, strict=True):
            self._tokens[wish.rate.account] = grant.tokens
            self._next_at[wish.rate.account] = now + grant.next_in

    def take(self, slot: str) -> bool:
        """One token of those drawn for this pass."""
        rate = self._rates.get(slot)
        if rate is None:
            return True
        left = self._tokens.get(rate.account, 0)
        self._tokens[rate.account] = max(0, left - 1)
        return left > 0

    def next_at(self, slot: str) -> float:
        """Monotonic seconds of the next token, as far as the last draw could tell."""
        rate = self._rates.get(slot)
        return self._next_at.get(rate.account, float("-inf")) if rate else float("-inf")

    def interval(self, slot: str) -> float:
        """Seconds between two tokens; 0 without a rate."""
        rate = self._rates.get(slot)
        return 1.0 / rate.per_second if rate else 0.0


def redis_buckets(client: redis.Redis, *, prefix: str = "{refundry}") -> Buckets:
    """The buckets of all processes that share this Redis."""
    script = client.register_script(Path(__file__).with_suffix(".lua").read_text())

    def draw(wishes: Sequence[Wish]) -> Sequence[Grant] | None:
        arguments = [
            part
            for wish in wishes
            for part in (wish.rate.account, wish.rate.per_second, wish.rate.burst, wish.given_back, wish.wanted)
        ]
        try:
            reply = script(keys=[prefix], args=arguments)
        except redis.RedisError as error:
            logger.warning("the rates of accounts are not kept for a moment: %s", error)
            return None
        return [Grant(tokens, ms / 1000) for tokens, ms in zip(reply[::2], reply[1::2], strict=True)]

    return draw
