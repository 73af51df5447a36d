"""Any two acts about one refund in the same moment come to what one after the other would, in one of the two orders;
neither is done to something that the other has changed unseen."""

from itertools import combinations_with_replacement
from random import sample

import pytest
from django.db import connection

from orders.errors import Problem
from orders.models import Principal
from orders.roles import Actor, Role
from refunds.actions import RULE_OF, Action
from refunds.models import Refund
from refunds.services.acts import Target
from tests.consistency import violations
from tests.integration.engine.crediting import ACCOUNTS
from tests.integration.engine.test_walk import OTHER, SITUATIONS, Situation, expected
from tests.integration.engine.threads import together
from tests.integration.engine.walked import ACTS
from tests.sizes import size

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sized]
Two = tuple[Action, Action]
#: So many of the pairs that a situation has; up to a hundred.
PAIRS = 30


def possible(here: Situation) -> dict[Action, Actor]:
    """What can be done there, each by somebody who may."""
    by = {action: [Actor(OTHER, role) for role in Role if role in RULE_OF[action].roles] for action in ACTS}
    return {
        action: next(who for who in actors if expected(action, here, who, "own") == "done")
        for action, actors in by.items()
        if any(expected(action, here, who, "own") == "done" for who in actors)
    }


def on(refund: Refund, *, seen: bool = False) -> Target:
    return Target(refund.number, [refund.order.channel_id], refund.resource_version if seen else None)


def built(here: Situation) -> Refund:
    Principal.objects.filter(name="colleague").update(name="former")
    return here.build()


def outcome(answer: object) -> str:
    if isinstance(answer, Problem):
        return f"{answer.status} {answer.code}"
    assert isinstance(answer, Refund), answer
    return "done"


def done(action: Action, target: Target, actor: Actor) -> str:
    try:
        return outcome(ACTS[action](target, actor))
    except Problem as problem:
        return outcome(problem)


def one_by_one(here: Situation, who: dict[Action, Actor], two: Two) -> tuple[str, ...]:
    refund = built(here)
    return tuple([done(action, on(refund), who[action]) for action in two] + [Refund.objects.get(pk=refund.pk).state])


def at_once(here: Situation, who: dict[Action, Actor], two: Two) -> tuple[str, ...]:
    refund = built(here)
    answers = together(*(lambda a=action: ACTS[a](on(refund), who[a]) for action in two))
    return (*map(outcome, answers), Refund.objects.get(pk=refund.pk).state)


def both_seen(here: Situation, who: dict[Action, Actor], two: Two) -> list[str]:
    """The outcomes for two who go by the same version."""
    refund = built(here)
    answers = together(*(lambda a=action, r=refund: ACTS[a](on(r, seen=True), who[a]) for action in two))
    return sorted(map(outcome, answers))


@pytest.mark.parametrize("here", SITUATIONS, ids=str)
def test_it_is_as_if_one_came_after_the_other_and_who_went_by_the_same_version_is_told(
    here: Situation, settings
) -> None:
    settings.GATEWAY_ACCOUNTS = ACCOUNTS
    who = possible(here)
    pairs = list(combinations_with_replacement(sorted(who), 2))
    for two in sample(pairs, min(size(PAIRS), len(pairs))):
        first, second, end = one_by_one(here, who, (two[1], two[0]))
        assert at_once(here, who, two) in (one_by_one(here, who, two), (second, first, end)), two
        assert both_seen(here, who, two) == ["412 stale_version", "done"], two
    assert violations(connection.connection) == []
