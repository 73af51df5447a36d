"""What a scraper sees of the test's own database and Redis."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from workers import bootstrap

Scrape = Callable[[], dict[str, float]]


@pytest.fixture(autouse=True)
def own_redis(redis_client: redis.Redis, redis_url: str, settings: Any) -> Iterator[None]:
    settings.REDIS_URL = redis_url
    for cached in (bootstrap.workqueue, bootstrap.impatient_workqueue):
        cached.cache_clear()
    yield
    for cached in (bootstrap.workqueue, bootstrap.impatient_workqueue):
        cached.cache_clear()


@pytest.fixture
def scrape() -> Scrape:
    """Every sample by its name and labels, as in the text: `name{label="value"}`."""

    def read() -> dict[str, float]:
        answer = Client().get("/metrics")
        assert answer.status_code == 200
        families = text_string_to_metric_families(answer.content.decode())
        return {_name(sample.name, sample.labels): sample.value for family in families for sample in family.samples}

    return read


def _name(name: str, labels: dict[str, str]) -> str:
    told = ",".join(f'{label}="{value}"' for label, value in labels.items())
    return f"{name}{{{told}}}" if told else name
