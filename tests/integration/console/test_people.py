"""Who works here, at the console and over the API: seen and let out by supervisors only."""

import pytest

from orders.models import Channel, Principal
from orders.roles import Role
from refunds.models import Refund
from refunds.services.acts import assign
from tests.integration.console.people import Person
from tests.integration.refunds_api import returns
from tests.integration.refunds_api.clients import Caller

pytestmark = pytest.mark.django_db


def test_a_supervisor_lets_an_agent_out_who_is_thrown_out_at_once() -> None:
    boss, grace = Person(Role.SUPERVISOR, name="ada"), Person(Role.SUPPORT)
    refund = returns.in_review()
    assign(returns.on(refund), to=grace.principal.pk, actor=grace.actor)
    assert grace.get("").status == 200 and "Grace has left" in boss.get("people/").html
    assert boss.post(f"people/{grace.principal.pk}/leave/", {"once": "click1"}).status == 302
    assert "now: 1." in boss.get("people/").html
    assert Refund.objects.get(pk=refund.pk).assignee_id is None
    assert grace.get("").status == 302 and grace.log_in().status == 200  # the login page again


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.WAREHOUSE, Role.FINANCE, Role.AUDITOR])
def test_nobody_else_does(role: Role) -> None:
    someone, grace = Person(role, name="eve"), Person(Role.SUPPORT)
    assert "/console/people/" not in someone.get("").html
    assert someone.get("people/").status == someone.post(f"people/{grace.principal.pk}/leave/").status == 403
    assert Principal.objects.get(pk=grace.principal.pk).left_at is None


def test_the_api_does_the_same() -> None:
    channel = Channel.objects.get(is_default=True)
    boss, agent, shop = (Caller(channel, role=role) for role in (Role.SUPERVISOR, Role.SUPPORT, Role.SHOP))
    his = agent.stored.principal_id
    assert [shop.get("/people").code, shop.post(f"/people/{his}/leave").code] == ["role_forbidden"] * 2
    [before] = [one for one in boss.get("/people").body["items"] if one["id"] == f"principal:{his}"]
    assert (before["role"], before["cases"], before["left_at"]) == ("support", 0, None)
    answer = boss.post(f"/people/{his}/leave")
    assert (answer.status, answer.body["id"], answer.body["cases"]) == (200, f"principal:{his}", [])
    assert agent.get("/refunds").code == "invalid_key"
    assert boss.post(f"/people/{boss.stored.principal_id}/leave").code == "oneself"
