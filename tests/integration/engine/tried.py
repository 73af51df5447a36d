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
#: Who has the same answer there.
Found = tuple[Situation, list[Role]]


def tries(here: Situation, roles: Sequence[Role]) -> list[tuple[Action, Role]]:
    """What is tried in this situation, by whom of these."""
    return [(action, role) for action in ABOUT_A_REFUND for at, role in _tries_of(action, *roles) if at == here]


@cache
def _tries_of(action: Action, *roles: Role) -> list[tuple[Situation, Role]]:
    answers: dict[str, dict[Situation, list[Role]]] = {}
    for here, role in product(SITUATIONS, roles):
        answer = expected(action, here, Actor(OTHER, role), "own")
        answers.setdefault(answer, {}).setdefault(here, []).append(role)
    return [
        (here, who[n % len(who)])
        for answer, by_situation in answers.items()
        for n, (here, who) in enumerate(_some(answer, list(by_situation.items()), ABOUT_A_REFUND.index(action)))
    ]


def _some(answer: str, found: list[Found], turn: int) -> list[Found]:
    """Who may not at all is refused wherever it stands: once."""
    if SOAK and answer != "403 role_forbidden":
        return found
    most = min(DONE if answer == "done" else 1, len(found))
    return [found[(turn + n * (len(found) // DONE)) % len(found)] for n in range(most)]
