"""Console and API do and refuse the same, whatever the act, wherever the refund stands and whoever comes: by one table.

`tests/integration/pages/test_acting.py` holds the customer's page to the API in the same way, and
`tests/integration/engine/test_walk.py` the services behind all three to the table.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from orders.roles import KEY_ROLES, Role
from refunds.actions import RULE_OF, RULES, Action
from refunds.models import Refund
from refunds.selectors.allowed import allowed_actions
from tests.fingerprint import fingerprint
from tests.integration.console.people import Person
from tests.integration.console.said import SAID
from tests.integration.engine.test_walk import SITUATIONS, Situation
from tests.integration.refunds_api.clients import Caller
from tests.integration.refunds_api.returns import in_days
from tests.pictures import picture
from tests.sizes import SOAK

pytestmark = pytest.mark.django_db
#: Those in which something different can be done; every page costs its drawing, so that all of them are for the soak.
TELLING = {
    "requested unconfirmed",
    "in_review",
    "in_review held",
    "in_review unproved",
    "offered",
    "rejected contestable",
    "awaiting_return",
    "inspecting",
    "refunding",
    "failed",
    "refunded",
    "cancelled",
}
HERE = [here for here in SITUATIONS if SOAK or str(here) in TELLING]
ABOUT_ONE = [rule.action for rule in RULES if rule.states]


class Doors:
    """One refund, with everybody before both doors."""

    def __init__(self, refund: Refund) -> None:
        self.refund = refund
        self.people = {role: Person(role, name=role) for role in KEY_ROLES}
        self.callers = {role: Caller(refund.order.channel, role=role) for role in KEY_ROLES}
        self.may = {role: set(allowed_actions(refund, person.actor)) for role, person in self.people.items()}
        self.before = fingerprint()

    def statuses(self, action: Action, role: Role) -> tuple[int, int]:
        """Of console and API, each from the same rows; 200 for what is done."""
        typed, told = said(action, self.refund)
        kind = {"Content_Type": "image/jpeg"} if isinstance(told, bytes) else {}
        console = self.kept(lambda: self.people[role].act(self.refund, action, **typed).status)
        api = self.kept(lambda: self.callers[role].post(f"/refunds/{self.refund.number}/{action}", told, **kind).status)
        return (200 if console == 302 else console), (200 if api == 202 else api)

    def kept(self, ask: Callable[[], int]) -> int:
        """What is answered; what was done by it is undone."""
        sid = transaction.savepoint()
        status = ask()
        assert status in (200, 202, 302) or fingerprint() == self.before, "what was refused has left a trace"
        transaction.savepoint_rollback(sid)
        return status


def said(action: Action, refund: Refund) -> tuple[dict[str, Any], Any]:
    if action is Action.RECORD_EXTERNAL:
        typed, told = SAID[action]
        payment = {"payment": str(refund.gateway_refunds.order_by("id")[0].share.payment)}
        return typed | payment, told | payment
    if action is Action.EVIDENCE:
        return {"photos": SimpleUploadedFile("a.jpg", picture())}, picture()
    if action is not Action.REBOOK_PICKUP:
        return SAID.get(action, ({}, None))
    starts_at, ends_at = in_days(2), in_days(2.1)
    typed = {"starts_at": f"{starts_at:%Y-%m-%dT%H:%M}", "ends_at": f"{ends_at:%Y-%m-%dT%H:%M}"}
    return typed, {"slot": {"starts_at": starts_at.isoformat(), "ends_at": ends_at.isoformat()}}


def comers(action: Action, turn: int) -> list[Role]:
    """One of those who may at all, each in his turn; who may not is refused wherever it stands: once. With time enough
    everybody."""
    may = [role for role in KEY_ROLES if role in RULE_OF[action].roles]
    if SOAK or turn == 0:
        return list(KEY_ROLES)
    return [may[turn % len(may)]]


@pytest.mark.parametrize(("turn", "here"), list(enumerate(HERE)), ids=str)
def test_console_and_api_do_and_refuse_the_same(turn: int, here: Situation) -> None:
    doors = Doors(here.build())
    for n, action in enumerate(ABOUT_ONE):
        for role in comers(action, turn and turn + n):
            console, api = doors.statuses(action, role)
            assert console == api, (action, role, console, api)
            assert (api == 200) == (action in doors.may[role]), (action, role, api)
