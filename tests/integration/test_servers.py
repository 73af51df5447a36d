"""The test run's own servers."""

import pytest
import redis
from django.db import connection


@pytest.mark.django_db
def test_database_is_a_postgresql_of_this_worker():
    assert connection.vendor == "postgresql"
    assert connection.settings_dict["NAME"].startswith("test_")


def test_redis_database_is_empty(redis_client: redis.Redis):
    assert redis_client.dbsize() == 0
    redis_client.set("left", "behind")


def test_redis_database_is_empty_again(redis_client: redis.Redis):
    assert redis_client.dbsize() == 0
    redis_client.set("left", "behind")
