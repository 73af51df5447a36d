"""Tokens of an account: drawn for a pass, used in it, and given back where they were not."""

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from workers import bootstrap
from workers.rates import Grant, Rate, Rates, Wish

RATE = Rate("bank", per_second=10.0, burst=5)
SLOTS = {"send:bank": RATE, "ask:bank": RATE}


class Buckets:
    """Grants `tokens` of what is wanted, or cannot say; notes the wishes."""

    def __init__(self, tokens: int | None) -> None:
        self.tokens = tokens
        self.wishes: list[tuple[int, int]] = []

    def __call__(self, wishes: list[Wish]) -> list[Grant] | None:
        self.wishes += [(wish.given_back, wish.wanted) for wish in wishes]
        return None if self.tokens is None else [Grant(min(self.tokens, wish.wanted), 0.5) for wish in wishes]


def test_what_an_account_is_sent_and_asked_comes_out_of_one_bucket() -> None:
    buckets = Buckets(3)
    rates = Rates(SLOTS, buckets)
    rates.draw(lambda slot: 8)
    assert buckets.wishes == [(0, 16)]
    assert [rates.take(slot) for slot in ("send:bank", "ask:bank", "send:bank", "ask:bank")] == [True] * 3 + [False]


def test_tokens_not_used_in_a_pass_go_back_and_are_not_used_later() -> None:
    buckets = Buckets(3)
    rates = Rates(SLOTS, buckets)
    rates.draw(lambda slot: 1)
    rates.take("send:bank")
    rates.draw(lambda slot: 0)
    assert buckets.wishes == [(0, 2), (1, 0)]
    assert not rates.take("send:bank")
    rates.draw(lambda slot: 0)
    assert len(buckets.wishes) == 2, "nothing to say, no round trip"


def test_an_account_without_a_rate_is_not_limited_and_costs_no_round_trip() -> None:
    buckets = Buckets(0)
    rates = Rates({}, buckets)
    rates.draw(lambda slot: 8)
    assert (rates.take("send:other"), rates.interval("send:other"), buckets.wishes) == (True, 0.0, [])


def test_where_nobody_can_say_the_windows_alone_limit_an_account() -> None:
    rates = Rates(SLOTS, Buckets(None))
    rates.draw(lambda slot: 2)
    assert [rates.take("send:bank") for _ in range(5)] == [True] * 4 + [False]


@pytest.fixture(autouse=True)
def fresh_rates():
    bootstrap.rates.cache_clear()
    yield
    bootstrap.rates.cache_clear()


@pytest.mark.parametrize(
    ("config", "interval"),
    [({"rate": 25, "burst": 50}, 0.04), ({"rate": 0.5}, 2.0), ({}, 0.0)],
)
def test_a_rate_is_what_the_account_states(settings: Any, config: dict[str, float], interval: float) -> None:
    settings.GATEWAY_ACCOUNTS = {"bank": {"adapter": "http", **config}}
    settings.COURIER_ACCOUNTS = {}
    assert [bootstrap.rates().interval(f"{kind}:bank") for kind in ("send", "ask")] == [interval] * 2


@pytest.mark.parametrize(
    "config", [{"rate": 0}, {"rate": -1}, {"rate": "fast"}, {"rate": 5, "burst": 0}, {"rate": 5, "burst": None}]
)
def test_an_odd_rate_is_told_with_its_account(settings: Any, config: dict[str, Any]) -> None:
    settings.GATEWAY_ACCOUNTS = {"bank": config}
    settings.COURIER_ACCOUNTS = {}
    with pytest.raises(ImproperlyConfigured, match="account bank"):
        bootstrap.rates()
