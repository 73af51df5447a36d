"""For whatever the engine says in words for machines the console has words for people, what is added later too."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation

from orders import errors
from orders.roles import Role
from orders.services.payments import LATE_MONEY
from orders.states import SHIPMENT_ARROWS, OrderRefundState, OrderState, ShipmentState
from refunds import needs
from refunds.actions import RULES
from refunds.console import codes, condition_words, refusals, timeline, words
from refunds.console.policy_forms import PolicyForm
from refunds.event_types import EVENT_TYPES
from refunds.incidents import INCIDENT_RULES
from refunds.models import RefundEvent
from refunds.movements import FUNDS_TAKEN, NEVER_SENT
from refunds.parcels import HOPELESS
from refunds.policy import BUILT_IN
from refunds.selectors.message_facts import CODE
from refunds.selectors.queues import Queue
from refunds.services import case
from refunds.states import (
    MOVEMENT_ARROWS,
    PICKUP_ARROWS,
    Goods,
    MovementState,
    NotificationState,
    PickupState,
    Place,
    RefundState,
    Remedy,
    Route,
)
from workers.adapters import http_courier, stripe_wire
from workers.local.sandbox.gateway import protocol as gateway_sandbox

REFUNDS = Path(settings.BASE_DIR) / "refunds"
ADAPTERS = [file for file in REFUNDS.parent.glob("workers/adapters/*.py") if file.stem not in ("email", "sms")]
PROBLEMS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
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
    (words.REMEDIES, Remedy),
    (words.ROLES, Role),
    (words.QUEUES, Queue),
    (words.QUEUES_ABOUT, Queue),
    (words.INCIDENTS, INCIDENT_RULES),
    (words.ACTIONS, [rule.action for rule in RULES if rule.states]),
    (words.TEMPLATES, {*BUILT_IN.email_for, *BUILT_IN.sms_for, CODE}),
]


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Whatever language a request of another test spoke before."""
    with translation.override("en"):
        yield


def found(pattern: str, *files: str) -> set[str]:
    """What the pattern's group matches in these sources below refunds/."""
    paths = [path for name in files for path in REFUNDS.glob(name)]
    return {match for path in paths for match in re.findall(pattern, path.read_text())}


@pytest.mark.parametrize("number", range(len(TABLES)))
def test_every_word_of_a_list_has_its_words(number) -> None:
    table, every = TABLES[number]
    assert set(table) == set(every)


def test_every_refusal_of_the_table_has_words() -> None:
    said = {need.code for need in vars(needs).values() if isinstance(need, needs.Need)}
    assert (said | {rule.code for rule in RULES}) - set(refusals.WORDS) == set()


#: Who says nothing at the console: only machines, and people at the machine, are told by these.
ELSEWHERE = ("/hooks", "inbox.py", "joining.py", "store_credit.py", "credit_notes.py", "exchanges.py", "exact.py")
#: Of channels, and of the command line's books.
ELSEWHERE += ("manifests/opening.py", "books_closes.py")


def told_of_problems(*files: Path) -> set[str]:
    """The codes of all problems that are written out there."""
    codes = set()
    for node in (node for file in files for node in ast.walk(ast.parse(file.read_text()))):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            at = 1 if name in ("Invalid.of", "FieldError") else 0 if name in PROBLEMS else None
            if at is not None and len(node.args) > at and isinstance(node.args[at], ast.Constant):
                codes.add(node.args[at].value)
    return codes


def test_every_refusal_that_a_service_says_has_words() -> None:
    rest = REFUNDS.parent / "orders" / "rest"
    files = [*REFUNDS.glob("services/**/*.py"), *REFUNDS.glob("selectors/**/*.py"), REFUNDS / "evidence.py"]
    here = [file for file in files if not any(part in str(file) for part in ELSEWHERE)]
    said = told_of_problems(*here, rest / "idempotency.py", REFUNDS / "console" / "acts.py")
    assert {"idempotency_key_reused", "stale_version", "required"} <= said
    assert (said | {"excluded", "window_over"}) - set(refusals.WORDS) == set()


@pytest.mark.parametrize("code", ["idempotency_key_reused", "form_incomplete", "busy"])
def test_what_is_refused_of_a_policy_s_form_and_not_of_the_policy_has_words_alone(code: str) -> None:
    form = PolicyForm({}, data={})
    form.tell([("Idempotency-Key", code, "Said to machines.")])
    assert form.non_field_errors() == [refusals.WORDS[code]]


def test_every_condition_has_words() -> None:
    said = found(r'Condition\((?:"(\w+)"|name), \w+', "observing.py") - {""}
    assert said - set(condition_words.CONDITIONS) == set()
    reasons = found(r'Condition\((?:"\w+"|name), \w+, "(\w+)"', "observing.py")
    assert reasons and reasons - set(condition_words.REASONS) == set()


def test_every_incident_has_its_rule() -> None:
    yielded = found(r'yield "(\w+)"', "decide.py") - {"approved", "offer_expired", "replacing"}
    opened = found(r'open_incident\([^"{]*"(\w+)"', "services/*.py") | found(r'_open\("(\w+)"', "services/*.py")
    assert yielded and opened and (yielded | opened | {LATE_MONEY}) - set(INCIDENT_RULES) == set()


#: What is put in, wherever the kind of an event is put together.
PUT_TOGETHER = {
    "refund.{refund.state}": RefundState,
    "refund.{kind}": case.TOO_LATE,
    "shipment.{target}": {arrow.target for arrow in SHIPMENT_ARROWS},
    "pickup.{target}": {arrow.target for arrow in PICKUP_ARROWS},
    "gateway_refund.{word}": {*(arrow.target for arrow in MOVEMENT_ARROWS), "released", "exchanged"},
}
SUBJECTS = "case|goods|carrier|target|refund|pickup|shipment|gateway_refund|intercept|incident|dispute"


def kinds_of_events() -> set[str]:
    """As the sources write them, whole or put together; `refund.updated` is what gateways tell us."""
    sources = ("services/*.py", "services/*/*.py", "movements.py")
    assert found(rf'f"((?:{SUBJECTS})\.\{{[^"]+)"', *sources) == set(PUT_TOGETHER)
    made = {form.partition("{")[0] + str(word) for form, words_in in PUT_TOGETHER.items() for word in words_in}
    heard = {kind for file in ADAPTERS for kind in re.findall(r'"(dispute\.\w+)"', file.read_text())}
    assert heard
    return (found(rf'"((?:{SUBJECTS})\.\w+)"', *sources) | made | heard) - {"refund.updated"}


def test_every_event_has_words() -> None:
    assert {kind for kind in kinds_of_events() if told(kind) == kind} == set()


def test_every_event_is_a_type_that_webhooks_can_ask_for_and_no_other_is() -> None:
    assert kinds_of_events() == EVENT_TYPES
    told = re.findall(rf"`((?:{SUBJECTS})\.\w+)`", (REFUNDS.parent / "docs" / "webhooks.md").read_text())
    assert sorted(told) == sorted(EVENT_TYPES)


def told(kind: str) -> str:
    return timeline.text_of(RefundEvent(kind=kind, data={}), "EUR", {})


def test_every_code_of_ours_has_words() -> None:
    literal = {name for file in ADAPTERS for name in re.findall(r'Refused\(\s*(?:code=)?"(\w+)"', file.read_text())}
    of_couriers = {*http_courier.CONFLICTS, http_courier.UNKNOWN_PARCEL, *HOPELESS}
    of_gateways = {*stripe_wire.CODES.values(), *gateway_sandbox.REFUSALS.values(), "lost_or_stolen_card", "failed"}
    every = literal | of_couriers | of_gateways | {FUNDS_TAKEN, NEVER_SENT}
    assert literal and every - set(codes.WORDS) == set()


def test_codes_of_others_stay_as_they_are() -> None:
    assert (codes.in_words("declined"), codes.in_words("http_402")) == ("declined", "http_402")
