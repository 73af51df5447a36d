"""A merchant with a channel of his own beside the default one."""

from collections.abc import Callable

import pytest

from orders.models import Channel
from orders.roles import Role
from tests.integration.refunds_api.clients import Caller


@pytest.fixture
def mine(db) -> Channel:
    return Channel.objects.create(slug="mine", name="Mine")


@pytest.fixture
def merchant(mine: Channel) -> Caller:
    return Caller(mine)


@pytest.fixture
def caller(mine: Channel) -> Callable[[Role], Caller]:
    return lambda role: Caller(mine, role=role)


@pytest.fixture
def owner(mine: Channel) -> Caller:
    """Bound to every channel there is."""
    return Caller(mine, Channel.objects.get(is_default=True))
