"""For whatever the engine says in words for machines the console has words for people, what is added later too."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from orders.roles import Role
from orders.services.payments import LATE_MONEY
from orders.states import OrderRefundState, OrderState, ShipmentState
from refunds import actions
from refunds.actions import RULES, Need
from refunds.console import refusals, timeline, words
from refunds.incidents import INCIDENT_RULES
from refunds.policy import BUILT_IN
from refunds.selectors.queues import Queue
from refunds.states import Goods, MovementState, NotificationState, PickupState, Place, RefundState, Route

REFUNDS = Path(settings.BASE_DIR) / "refunds"
TABLES = [
    (words.STATES, RefundState),
    (words.ROUTES, Route),
    (words.GOODS, Goods),
    (words.PLACES, Place),
    (words.ORDER_STATES, OrderState),
    (words.ORDER_REFUND_STATES, OrderRefundState),
    (words.SHIPMENTS, ShipmentState),
    (words.PICKUPS, PickupState),
    (words.MOVEMENTS, MovementState),
    (words.MESSAGES, NotificationState),
    (words.ROLES, Role),
    (words.QUEUES, Queue),
    (words.QUEUES_ABOUT, Queue),
    (words.INCIDENTS, INCIDENT_RULES),
    (words.ACTIONS, [rule.action for rule in RULES if rule.states]),
    (words.TEMPLATES, {*BUILT_IN.email_for, *BUILT_IN.sms_for}),
]


def found(pattern: str, *files: str) -> set[str]:
    """What the pattern's group matches in these sources below refunds/."""
    paths = [path for name in files for path in REFUNDS.glob(name)]
    return {match for path in paths for match in re.findall(pattern, path.read_text())}


@pytest.mark.parametrize("number", range(len(TABLES)))
def test_every_word_of_a_list_has_its_words(number) -> None:
    table, every = TABLES[number]
    assert set(table) == set(every)


def test_every_refusal_of_the_table_has_words() -> None:
    needs = {need.code for need in vars(actions).values() if isinstance(need, Need)}
    assert (needs | {rule.code for rule in RULES}) - set(refusals.WORDS) == set()


def test_every_condition_has_words() -> None:
    said = found(r'Condition\((?:"(\w+)"|name), \w+', "observing.py") - {""}
    assert said - set(words.CONDITIONS) == set()
    reasons = found(r'Condition\((?:"\w+"|name), \w+, "(\w+)"', "observing.py")
    assert reasons and reasons - set(words.REASONS) == set()


def test_every_incident_has_its_rule() -> None:
    yielded = found(r'yield "(\w+)"', "decide.py") - {"approved"}
    opened = found(r'open_incident\([^"{]*"(\w+)"', "services/*.py") | found(r'_open\("(\w+)"', "services/*.py")
    assert yielded and opened and (yielded | opened | {LATE_MONEY}) - set(INCIDENT_RULES) == set()


def test_every_event_has_words() -> None:
    kinds = found(
        r'"((?:refund|pickup|shipment|gateway_refund|intercept|incident)\.\w+)"', "services/*.py", "services/acts/*.py"
    )
    told = {f"{subject}.{state}" for subject, of in OF_STATES.items() for state in of}
    assert kinds - set(timeline.TEXTS) - told - {"refund.updated", "refund.assigned"} == set()


OF_STATES = {"refund": words.STATES, "pickup": words.PICKUPS, "shipment": words.SHIPMENTS}
