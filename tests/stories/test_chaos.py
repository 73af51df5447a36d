"""Chaos: processes are killed and frozen at random and Valkey is emptied, and every promise is kept (`make chaos`)."""

import random

import pytest

from tests.chaos.plan import Plan
from tests.chaos.run import Run
from tests.processes import Stack
from tests.stories.shop import Shop

WORKERS = 4


@pytest.mark.xdist_group("crashes")
def test_a_little_chaos(fragile_shop: Shop):
    plan = Plan(
        60,
        _seed(),
        limit_seconds=60,
        strike_seconds=0.7,
        most_strikes=8,
        emptied_at=(0.4,),
        valkey_at=(0.6,),
        postgres_at=(),
        whole_workers=False,
        share_repeated=1.0,
    )
    assert Run(fragile_shop, plan, print)().broken == []


@pytest.mark.soak
@pytest.mark.xdist_group("chaos")
def test_chaos():
    with Stack(own_postgres=True, workers=WORKERS, PUMPS=str(WORKERS)).running() as stack:
        assert Run(Shop(stack), Plan(1000, _seed(), limit_seconds=600), print)().broken == []


def _seed() -> int:
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")
    return seed
