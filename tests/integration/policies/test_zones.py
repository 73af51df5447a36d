"""Days are those of the channel where the policy names no zone of its own."""

from datetime import UTC, datetime
from typing import Any

import pytest

from orders.models import Channel, Shipment
from orders.roles import Role
from refunds.calendars import Calendar
from refunds.models import Refund
from tests.integration.asking.conftest import Shop, line, pay, units
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


def shanghai_midnight(at: datetime | None) -> bool:
    return at is not None and (at.astimezone(UTC).hour, at.minute, at.second) == (16, 0, 0)


def test_a_customer_s_days_end_at_the_midnight_of_the_channel(shop: Shop) -> None:
    """Those to answer a question in, to send the goods back in, and to contest a rejection in."""
    bought = shop.order(line("SHIRT", 2000, quantity=2))
    bought.ship()
    made = bought.refund(units(SHIRT=1))
    number = made["metadata"]["number"]
    pay(made)
    agent = shop.by(Role.SUPPORT)
    assert agent.post(f"/refunds/{number}/ask", {"text": "Which one?"}).status in (200, 202)
    assert shanghai_midnight(Refund.objects.get(number=number).held_until)
    assert agent.post(f"/refunds/{number}/approve", {}).status in (200, 202)
    assert pay(made) == ["awaiting_return"]
    assert shanghai_midnight(Refund.objects.get(number=number).deadline)
    other = bought.refund(units(SHIRT=1))
    pay(other)
    other_number = other["metadata"]["number"]
    assert agent.post(f"/refunds/{other_number}/reject", {"reason": "No."}).status in (200, 202)
    pay(other)
    assert shanghai_midnight(Refund.objects.get(number=other_number).contest_until)
