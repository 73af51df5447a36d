"""A shop with a key, and a fingerprint of everything a refused request must leave as it was."""

from collections.abc import Callable

import pytest

from orders.models import Channel, Order
from orders.roles import Role
from tests.fingerprint import fingerprint as digest
from tests.integration.refunds_api import rows
from tests.integration.refunds_api.clients import Caller


@pytest.fixture
def channel(db) -> Channel:
    return rows.default_channel()


@pytest.fixture
def shop(channel: Channel) -> Caller:
    return Caller(channel)


@pytest.fixture
def order(channel: Channel) -> Order:
    return rows.a_paid_order(channel)


@pytest.fixture
def fingerprint() -> Callable[[], dict[str, str]]:
    return digest


@pytest.fixture
def caller(channel) -> Callable[[Role], Caller]:
    return lambda role: Caller(channel, role=role)
