"""Days are those of the channel where the policy names no zone of its own."""

from datetime import UTC, datetime
from typing import Any

import pytest

from orders.models import Channel, Shipment
from refunds.calendars import Calendar
from tests.integration.asking.conftest import Shop, line, units
from tests.policies import put_in_force


@pytest.fixture
def shop(db: None) -> Shop:
    Channel.objects.filter(is_default=True).update(time_zone="Asia/Shanghai")
    return Shop(Channel.objects.get(is_default=True))


@pytest.mark.parametrize(
    ("rules", "ends"),
    [
        ({}, "T16:00:00Z"),
        ({"calendar": {"weekend": [6, 7]}}, "T16:00:00Z"),
        ({"calendar": Calendar().to_json()}, "T16:00:00Z"),
        ({"calendar": {"zone": "UTC"}}, "T00:00:00Z"),
        ({"calendar": {"zone": "America/New_York"}}, ":00:00Z"),
    ],
)
def test_a_window_ends_at_the_midnight_of_the_channel_unless_the_policy_names_a_zone(
    shop: Shop, rules: dict[str, Any], ends: str
) -> None:
    put_in_force(window_days=7, **rules)
    bought = shop.order(line("SHIRT", 2000))
    bought.ship()
    Shipment.objects.filter(order__number=bought.number).update(delivered_at=datetime(2026, 1, 5, 17, tzinfo=UTC))
    until = bought.get()["lines"][0]["refundable"]["until"]
    assert until.endswith(ends)
    if ends == "T16:00:00Z":
        assert until == "2026-01-13T16:00:00Z"  # received on the 6th there
    assert bought.ask(units(SHIRT=1)).body["until"] == until
