"""An agent leaves: he gets in no more, his cases are everybody's, and what he approved stands."""

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from orders.errors import Conflict, Forbidden, Invalid, NotFound
from orders.models import ApiKey, Channel, Principal
from orders.roles import Actor, Role
from orders.selectors.access import key_with_prefix, person_behind
from orders.services.keys import make_key
from refunds.models import Refund, RefundEvent
from refunds.selectors.desk import case_file
from refunds.services.acts import Approval, approve, assign
from refunds.services.leaving import leave
from tests.integration.refunds_api import returns

pytestmark = pytest.mark.django_db


def hired(name: str, role: Role = Role.SUPPORT) -> Principal:
    made = Principal.objects.create(name=name, role=role, user=User.objects.create_user(name))
    made.channels.add(Channel.objects.get(is_default=True))
    return made


def actor(of: Principal) -> Actor:
    return Actor(f"principal:{of.pk}", Role(of.role))


@pytest.fixture
def boss() -> Principal:
    return hired("Ada", Role.SUPERVISOR)


@pytest.fixture
def grace() -> Principal:
    return hired("Grace")


def own() -> list[int]:
    return [Channel.objects.get(is_default=True).pk]


def given(to: Principal) -> Refund:
    return assign(returns.on(returns.in_review()), to=to.pk, actor=actor(to))


def test_nobody_gets_in_as_him_any_more(boss, grace) -> None:
    key = make_key(grace)
    assert person_behind(grace.user_id) and key_with_prefix(key.partition(".")[0])
    leave(grace.pk, channels=own(), actor=actor(boss))
    grace.refresh_from_db()
    assert (grace.left_by, grace.left_at is not None, grace.user.is_active) == (f"principal:{boss.pk}", True, False)
    assert person_behind(grace.user_id) is None and key_with_prefix(key.partition(".")[0]) is None
    assert ApiKey.objects.get(principal=grace).revoked_at is not None
    # A key that is made for him all the same opens nothing either.
    assert key_with_prefix(make_key(grace).partition(".")[0]) is None


def test_his_open_cases_are_nobodys_and_the_trail_says_why(boss, grace) -> None:
    his, hers = [given(grace), given(grace)], given(boss)
    left = leave(grace.pk, channels=own(), actor=actor(boss))
    assert sorted(left.cases) == sorted(refund.number for refund in his)
    assert [Refund.objects.get(pk=r.pk).assignee_id for r in (*his, hers)] == [None, None, boss.pk]
    told = RefundEvent.objects.filter(refund=his[0], kind="refund.assigned").latest("seq")
    assert (told.data, told.actor) == ({"to": None, "left": f"principal:{grace.pk}"}, f"principal:{boss.pk}")


def test_what_has_ended_stays_his(boss, grace) -> None:
    refund = given(grace)
    Refund.objects.filter(pk=refund.pk).update(state="rejected", next_reconcile_at=None)
    assert leave(grace.pk, channels=own(), actor=actor(boss)).cases == ()
    assert Refund.objects.get(pk=refund.pk).assignee_id == grace.pk


def test_what_he_approved_stands_and_is_marked(boss, grace) -> None:
    refund = given(grace)
    approve(returns.on(refund), Approval(), actor=actor(grace))
    leave(grace.pk, channels=own(), actor=actor(boss))
    after = Refund.objects.get(pk=refund.pk)
    assert (after.state, after.approved_by) == ("awaiting_return", f"principal:{grace.pk}")
    case = case_file(refund.number, channels=own(), has_left=lambda name: f"{name} (has left)")
    assert case.names[after.approved_by] == "Grace (has left)" and grace not in case.colleagues


def test_he_gets_no_case_any_more(boss, grace) -> None:
    refund = given(grace)
    leave(grace.pk, channels=own(), actor=actor(boss))
    with pytest.raises(Invalid) as refused:
        assign(returns.on(refund), to=grace.pk, actor=actor(boss))
    assert refused.value.code == "unknown_agent"


def test_the_same_again_changes_nothing(boss, grace) -> None:
    given(grace)
    leave(grace.pk, channels=own(), actor=actor(boss))
    first = Principal.objects.get(pk=grace.pk).left_at
    assert leave(grace.pk, channels=own(), actor=actor(boss)).cases == ()
    assert Principal.objects.get(pk=grace.pk).left_at == first


def test_who_may_and_whom(boss, grace) -> None:
    elsewhere = Channel.objects.create(slug="other", name="Other")
    both = hired("Both")
    both.channels.add(elsewhere)
    with pytest.raises(Forbidden):
        leave(boss.pk, channels=own(), actor=actor(grace))
    with pytest.raises(Conflict, match="himself"):
        leave(boss.pk, channels=own(), actor=actor(boss))
    engine = Principal.objects.get(role=Role.CUSTOMER)
    for foreign in (both.pk, engine.pk, 10**9):
        with pytest.raises(NotFound):
            leave(foreign, channels=own(), actor=actor(boss))
    assert not Principal.objects.exclude(left_at=None).exists()


def test_an_operator_does_it_at_the_machine(boss, grace, capsys) -> None:
    refund = given(grace)
    call_command("people", "leave", str(grace.pk))
    assert capsys.readouterr().out == f"Grace (support) has left; nobody's now: {refund.number}.\n"
    call_command("people", "list")
    assert f"{grace.pk} Grace (support), default: 0 open cases has left" in capsys.readouterr().out
