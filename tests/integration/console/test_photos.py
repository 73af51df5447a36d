"""The case page shows the customer's photos to agents of the channel."""

import pytest

from orders.models import Channel
from orders.roles import Role
from refunds.services.acts import give_evidence
from tests.integration.console.people import Person
from tests.integration.engine.returns import CUSTOMER, target
from tests.integration.refunds_api import returns
from tests.pictures import photo

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_client")]


def test_an_agent_sees_them() -> None:
    refund, grace = returns.in_review(), Person(Role.SUPPORT)
    assert "<img" not in grace.case(refund).html
    give_evidence(target(refund), [photo(), photo("blue")], actor=CUSTOMER)
    page = grace.case(refund)
    addresses = [f"/console/refunds/{refund.number}/evidence/{n}/" for n in (1, 2)]
    assert all(f'<img src="{address}"' in page.html for address in addresses) and "Photo 2 received" in page
    got = grace.client.get(addresses[1])
    assert got.content == photo("blue").data
    assert got["Content-Type"] == "image/jpeg" and got["Cache-Control"].startswith("private, no-store")
    assert got["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'; sandbox"


def test_an_agent_of_another_channel_does_not() -> None:
    refund = returns.in_review()
    give_evidence(target(refund), [photo()], actor=CUSTOMER)
    stranger = Person(Role.SUPERVISOR, Channel.objects.create(slug="other", name="Other"))
    assert stranger.get(f"refunds/{refund.number}/evidence/1/").status == 404


def test_nobody_does_who_is_not_logged_in() -> None:
    refund = returns.in_review()
    give_evidence(target(refund), [photo()], actor=CUSTOMER)
    assert Person(Role.SUPPORT, is_in=False).get(f"refunds/{refund.number}/evidence/1/").status == 302
