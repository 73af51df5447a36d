"""Where every act is tried at a door each day: where it is done, and once for each way to be refused.

What decides is the table, which `tests/unit/test_actions.py` holds row by row, and `test_walk.py` through the services
for every situation, act and caller. A door has to ask it, and to say what it said. `make soak` tries all everywhere.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product

from orders.roles import Actor, Role
from refunds.actions import RULES, Action
from tests.integration.engine.test_walk import OTHER, SITUATIONS, Situation, expected
from tests.sizes import SOAK

ABOUT_A_REFUND = [rule.action for rule in RULES if rule.states]
#: Of how many situations it is seen that the act is done.
DONE = 2


def tries(here: Situation, roles: Sequence[Role]) -> list[tuple[Action, Role]]:
    """What is tried in this situation, by whom of these."""
    return [(action, role) for action in ABOUT_A_REFUND for at, role in _tries_of(action, *roles) if at == here]


@cache
def _tries_of(action: Action, *roles: Role) -> list[tuple[Situation, Role]]:
    by_answer: dict[str, list[tuple[Situation, Role]]] = {}
    for here, role in product(SITUATIONS, roles):
        by_answer.setdefault(expected(action, here, Actor(OTHER, role), "own"), []).append((here, role))
    if SOAK:
        who_may_not = by_answer.pop("403 role_forbidden", [])[:1]
        return [*who_may_not, *(one for tried in by_answer.values() for one in tried)]
    turn = ABOUT_A_REFUND.index(action)
    return [tried[(turn + n * (len(tried) // DONE)) % len(tried)] for tried, n in _counted(by_answer)]


def _counted(by_answer: dict[str, list[tuple[Situation, Role]]]) -> list[tuple[list[tuple[Situation, Role]], int]]:
    return [
        (tried, n)
        for answer, tried in by_answer.items()
        for n in range(min(DONE if answer == "done" else 1, len(tried)))
    ]
