"""Whose case it is: taken, given on, given back; and to nobody who could not act on it."""

import pytest

from orders.errors import Invalid
from orders.models import Channel, Principal
from orders.roles import Actor, Role
from refunds.models import Refund, RefundEvent
from refunds.services.acts import assign
from tests.integration.refunds_api import returns

pytestmark = pytest.mark.django_db


@pytest.fixture
def refund() -> Refund:
    return returns.in_review()


def principal(refund: Refund, role: Role = Role.SUPPORT, *, channel: Channel | None = None) -> Principal:
    made = Principal.objects.create(name="Grace", role=role)
    made.channels.add(channel or refund.order.channel)
    return made


def given(refund: Refund, to: int | None, by: Principal) -> Refund:
    return assign(returns.on(refund), to=to, actor=Actor(f"principal:{by.pk}", Role(by.role)))


def told(refund: Refund) -> list[object]:
    events = RefundEvent.objects.filter(refund=refund, kind="refund.assigned").order_by("seq")
    return [(event.data["to"], event.actor) for event in events]


def test_it_is_taken_given_on_and_given_back(refund) -> None:
    grace, ada = principal(refund), principal(refund, Role.SUPERVISOR)
    for to in (grace.pk, ada.pk, None):
        assert given(refund, to, grace).assignee_id == to
        assert Refund.objects.get(pk=refund.pk).assignee_id == to
    by = f"principal:{grace.pk}"
    assert told(refund) == [(by, by), (f"principal:{ada.pk}", by), (None, by)]


def test_the_same_again_changes_nothing(refund) -> None:
    grace = principal(refund)
    first, again = given(refund, grace.pk, grace), given(refund, grace.pk, grace)
    assert again.resource_version == first.resource_version and len(told(refund)) == 1


@pytest.mark.parametrize("role", [Role.WAREHOUSE, Role.SHOP, Role.AUDITOR])
def test_nobody_gets_it_who_could_not_act_on_it(refund, role) -> None:
    foreign = principal(refund, channel=Channel.objects.create(slug="other", name="Other"))
    for to in (principal(refund, role).pk, foreign.pk, 10**12):
        with pytest.raises(Invalid) as refused:
            given(refund, to, principal(refund))
        assert refused.value.code == "unknown_agent"


def test_the_engine_is_not_asked_anything(refund) -> None:
    grace = principal(refund)
    after = given(refund, grace.pk, grace)
    assert (after.generation, after.next_reconcile_at) == (refund.generation, refund.next_reconcile_at)
