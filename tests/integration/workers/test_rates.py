"""Rates of accounts on a real Redis: one bucket for all pumps, and whoever has none is not held up by it."""

import time

import pytest
import redis

from tests.integration.workers.bench import Bench
from tests.integration.workers.conftest import PREFIX, Advance
from tests.integration.workers.reconcilers import Recording, wait_until
from workers.contract import Call
from workers.ports import Refused
from workers.rates import Rate, Rates, redis_buckets
from workers.workqueue import WorkQueue


def make_rates(client: redis.Redis, *, per_second: float, burst: int) -> Rates:
    return Rates({"bank": Rate("bank", per_second, burst)}, redis_buckets(client, prefix=PREFIX))


def take_all(rates: Rates, *, wanted: int = 100) -> int:
    rates.draw(lambda slot: wanted)
    taken = 0
    while rates.take("bank"):
        taken += 1
    return taken


def test_all_processes_draw_from_one_bucket_that_fills_up_with_time(
    redis_client: redis.Redis, advance: Advance
) -> None:
    one, other = (make_rates(redis_client, per_second=0.1, burst=50) for _ in range(2))
    assert (take_all(one, wanted=30), take_all(other), take_all(one)) == (30, 20, 0)
    advance(100)
    assert (take_all(other), take_all(one)) == (10, 0)
    advance(100_000)
    assert (take_all(other), take_all(one)) == (50, 0)


def test_tokens_given_back_are_there_for_others_and_never_more_than_the_burst(redis_client: redis.Redis) -> None:
    one, other = (make_rates(redis_client, per_second=0.01, burst=10) for _ in range(2))
    one.draw(lambda slot: 10)
    assert take_all(other) == 0
    one.draw(lambda slot: 0)
    assert take_all(other) == 10
    assert take_all(one) == 0


def test_it_is_said_when_there_is_another_token(redis_client: redis.Redis) -> None:
    rates = make_rates(redis_client, per_second=0.5, burst=1)
    take_all(rates)
    assert rates.next_at("bank") - time.monotonic() == pytest.approx(2.0, abs=0.5)


def test_nothing_is_left_of_a_bucket_that_is_full_again(redis_client: redis.Redis) -> None:
    rates = make_rates(redis_client, per_second=50, burst=5)
    take_all(rates)
    assert redis_client.keys(f"{PREFIX}::rate:*")
    wait_until(lambda: not redis_client.keys(f"{PREFIX}::rate:*"))


def test_a_redis_that_is_away_limits_nothing() -> None:
    away = redis.Redis(port=1, socket_connect_timeout=0.1)
    assert take_all(make_rates(away, per_second=1, burst=1), wanted=7) == 7


def test_pumps_together_keep_an_accounts_rate_and_others_are_not_in_its_way(
    bench: Bench, queue: WorkQueue, redis_client: redis.Redis
) -> None:
    """Controller check 15; upstream: TestMaxOfRateLimiter, TestItemFastSlowRateLimiter."""
    sent: list[float] = []
    others: list[float] = []
    reconciler = Recording()
    reconciler.calls_of = lambda key: [Call(key, "bank" if key.startswith("bank") else "other", 5.0, None)]
    reconciler.on_perform = lambda call, budget: (sent if call.account == "bank" else others).append(time.monotonic())
    started = time.monotonic()
    queue.add("refunds", [f"bank-{n}" for n in range(40)] + [f"other-{n}" for n in range(100)])
    for _ in range(2):
        bench.start(reconciler, rates=make_rates(redis_client, per_second=20, burst=5), linger_seconds=3)
    wait_until(lambda: len(others) == 100)
    assert len(sent) < 40, "they overtook the account that has to wait"
    wait_until(lambda: len(sent) == 40)
    for n, at in enumerate(sorted(sent), start=1):
        assert n <= 5 + 20 * (at - started) + 1


def test_an_account_that_says_retry_after_is_left_alone_so_long_and_others_are_not(
    bench: Bench, queue: WorkQueue
) -> None:
    asked: list[tuple[str, float]] = []
    reconciler = Recording()
    reconciler.calls_of = lambda key: [Call(key, key.split("-")[0], 5.0, None)]

    def perform(call: Call, budget: object) -> object:
        asked.append((call.account, time.monotonic()))
        is_first = call.account == "busy" and sum(account == "busy" for account, _ in asked) == 1
        return Refused("rate_limited", retryable=True, retry_after=1.0) if is_first else "done"

    reconciler.on_perform = perform
    queue.add("refunds", ["busy-1"])
    bench.start(reconciler, linger_seconds=3)
    wait_until(lambda: reconciler.done == ["busy-1"])
    queue.add("refunds", ["busy-2", "well-1"])
    wait_until(lambda: "well-1" in reconciler.done)
    assert "busy-2" not in reconciler.done
    wait_until(lambda: "busy-2" in reconciler.done)
    first, second = (at for account, at in asked if account == "busy")
    assert second - first >= 1.0
