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
from refunds.actions import Action
from refunds.models import Refund
from refunds.selectors.allowed import allowed_actions
from tests.fingerprint import fingerprint
from tests.integration.console.people import Person
from tests.integration.console.said import SAID
from tests.integration.engine.test_walk import SITUATIONS, Situation
from tests.integration.engine.tried import tries
from tests.integration.refunds_api.clients import Caller
from tests.integration.refunds_api.returns import in_days
from tests.pictures import picture

pytestmark = [pytest.mark.django_db, pytest.mark.sized]
HERE = [here for here in SITUATIONS if tries(here, KEY_ROLES)]


class Doors:
    """One refund, with people of these roles before both doors."""

    def __init__(self, refund: Refund, roles: set[Role]) -> None:
        self.refund = refund
        self.people = {role: Person(role, name=role) for role in sorted(roles)}
        self.callers = {role: Caller(refund.order.channel, role=role) for role in sorted(roles)}
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


@pytest.mark.parametrize("here", HERE, ids=str)
def test_console_and_api_do_and_refuse_the_same(here: Situation) -> None:
    tried = tries(here, KEY_ROLES)
    doors = Doors(here.build(), {role for _, role in tried})
    for action, role in tried:
        console, api = doors.statuses(action, role)
        assert console == api, (action, role, console, api)
        assert (api == 200) == (action in doors.may[role]), (action, role, api)
