"""The machines: every move of the tables can be made and no other; the drawing shows what the table says."""

import re
from pathlib import Path

import pytest
from django_fsm import TransitionNotAllowed

from orders.models import Order, Shipment
from orders.states import ORDER_ARROWS, SHIPMENT_ARROWS, Arrow, OrderState, ShipmentState, verb_to
from refunds.models import GatewayRefund, Notification, Pickup, Refund, WebhookDelivery
from refunds.states import (
    CANCELLABLE_STATES,
    FINAL_STATES,
    HOOK_ARROWS,
    MOVEMENT_ARROWS,
    NOTIFICATION_ARROWS,
    PAID_STATES,
    PICKUP_ARROWS,
    REFUND_ARROWS,
    RELEASED_STATES,
    HookState,
    MovementState,
    NotificationState,
    PickupState,
    RefundState,
)

PAGE = Path(__file__).parents[3] / "docs" / "states.md"
MACHINES = {
    "Refund": (Refund, RefundState, REFUND_ARROWS),
    "GatewayRefund": (GatewayRefund, MovementState, MOVEMENT_ARROWS),
    "Pickup": (Pickup, PickupState, PICKUP_ARROWS),
    "Notification": (Notification, NotificationState, NOTIFICATION_ARROWS),
    "WebhookDelivery": (WebhookDelivery, HookState, HOOK_ARROWS),
    "Order": (Order, OrderState, ORDER_ARROWS),
    "Shipment": (Shipment, ShipmentState, SHIPMENT_ARROWS),
}
#: DESIGN, part 3: "the refund, arrow by arrow".
LETTERS = """
a requested refunding
b requested in_review
c requested awaiting_return
d in_review offered
e offered refunding
f offered in_review
g in_review awaiting_return
h in_review refunding
i in_review rejected
j awaiting_return inspecting
k awaiting_return in_review
l awaiting_return refunding
m awaiting_return expired
n inspecting refunding
o inspecting rejected
p refunding refunded
q refunding failed
r refunding in_review
s failed refunding
t failed refunded
u failed partially_refunded
u failed cancelled
v refunded failed
v partially_refunded failed
w requested cancelled
w in_review cancelled
w offered cancelled
w awaiting_return cancelled
w refunding cancelled
x rejected in_review
y cancelled in_review
y expired in_review
"""


EVERY_ARROW = [(name, arrow) for name, (_, _, arrows) in MACHINES.items() for arrow in arrows]


@pytest.mark.parametrize(("name", "arrow"), EVERY_ARROW, ids=lambda v: getattr(v, "verb", v))
def test_a_method_moves_from_its_sources_to_its_target_and_from_nowhere_else(name: str, arrow: Arrow) -> None:
    model, states, _ = MACHINES[name]
    for state in states:
        row = model(state=state)
        before = {f.attname: getattr(row, f.attname) for f in model._meta.concrete_fields}
        if state in arrow.sources:
            getattr(row, arrow.verb)()
            assert row.state == arrow.target
            after = {f.attname: getattr(row, f.attname) for f in model._meta.concrete_fields}
            assert before | {"state": arrow.target} == after, "a transition changes the state and nothing else"
        else:
            with pytest.raises(TransitionNotAllowed):
                getattr(row, arrow.verb)()
            assert row.state == state


@pytest.mark.parametrize("name", MACHINES)
def test_the_table_and_the_methods_are_the_same(name: str) -> None:
    model, _, arrows = MACHINES[name]
    transitions = model._meta.get_field("state").get_all_transitions(model)
    assert {(t.source, t.name, t.target) for t in transitions} == {
        (s, a.verb, a.target) for a in arrows for s in a.sources
    }


@pytest.mark.parametrize("name", MACHINES)
def test_a_verb_leads_to_one_place_and_a_way_has_one_verb(name: str) -> None:
    _, states, arrows = MACHINES[name]
    assert len({arrow.verb for arrow in arrows}) == len(arrows)
    ways = [(source, arrow.target) for arrow in arrows for source in arrow.sources]
    assert len(set(ways)) == len(ways)
    assert {state for way in ways for state in way} == set(states)


@pytest.mark.parametrize("name", MACHINES)
def test_a_state_cannot_be_written_past_the_machine(name: str) -> None:
    model, states, _ = MACHINES[name]
    row = model()
    with pytest.raises(AttributeError):
        row.state = list(states)[-1]


def test_the_letters_are_those_of_the_design() -> None:
    table = {f"{arrow.letter} {source} {arrow.target}" for arrow in REFUND_ARROWS for source in arrow.sources}
    assert table == set(LETTERS.split("\n")) - {""}
    assert all(arrow.when for arrow in REFUND_ARROWS)


def test_final_states_are_left_only_by_the_ways_back() -> None:
    back = {arrow.letter for arrow in REFUND_ARROWS if FINAL_STATES & set(arrow.sources)}
    assert back == {"v", "x", "y"}
    assert RELEASED_STATES | PAID_STATES == FINAL_STATES
    assert not RELEASED_STATES & PAID_STATES
    assert not CANCELLABLE_STATES & FINAL_STATES


def test_every_open_state_leads_to_an_end() -> None:
    leads_on = {state: {a.target for a in REFUND_ARROWS if state in a.sources} for state in RefundState}
    reached = set(FINAL_STATES)
    for _ in RefundState:
        reached |= {state for state, targets in leads_on.items() if targets & reached}
    assert reached == set(RefundState)


def test_a_way_that_is_no_arrow_has_no_verb() -> None:
    assert verb_to(ORDER_ARROWS, source="paid", target="paid") is None
    assert verb_to(ORDER_ARROWS, source="paid", target="cancelled") == "cancel"
    with pytest.raises(ValueError, match="no arrow leads from cancelled to shipped"):
        verb_to(ORDER_ARROWS, source="cancelled", target="shipped")


# The drawing.

DRAWN = re.compile(r"^    (\w+) --> (\w+)(?:: (\w+))?$", re.MULTILINE)


def drawing(title: str) -> list[tuple[str, str, str]]:
    section = PAGE.read_text().split(f"## {title}\n")[1].split("\n## ")[0]
    [mermaid] = re.findall(r"```mermaid\n(.*?)```", section, re.DOTALL)
    return DRAWN.findall(mermaid)


def test_the_drawing_of_a_refund_is_the_table() -> None:
    table = [(source, arrow.target, arrow.letter) for arrow in REFUND_ARROWS for source in arrow.sources]
    assert sorted(drawing("The refund")) == sorted(table)


def test_the_list_under_the_drawing_says_when_each_arrow_is_taken() -> None:
    rows = re.findall(r"^\| (\w) \| `(\w+)` \| (.*?) \| (\w+) \| (.*?) \|$", PAGE.read_text(), re.MULTILINE)
    table = [(a.letter, a.verb, ", ".join(a.sources), str(a.target), a.when) for a in REFUND_ARROWS]
    assert rows == table


def test_every_arrow_is_taken_by_the_engine_or_by_an_act() -> None:
    product = PAGE.parents[1] / "refunds"
    takers = [product / "decide.py", product / "goods.py", *product.glob("services/**/*.py")]
    taken = "".join(path.read_text() for path in takers)
    assert [arrow.verb for arrow in REFUND_ARROWS if f'"{arrow.verb}"' not in taken] == []


@pytest.mark.parametrize(
    ("title", "arrows"),
    [
        ("The money", MOVEMENT_ARROWS),
        ("The parcel home", PICKUP_ARROWS),
        ("The message", NOTIFICATION_ARROWS),
        ("The webhook", HOOK_ARROWS),
        ("The order", ORDER_ARROWS),
        ("The parcel out", SHIPMENT_ARROWS),
    ],
)
def test_the_drawings_of_the_others_are_their_tables(title: str, arrows: tuple[Arrow, ...]) -> None:
    table = [(source, arrow.target, arrow.verb) for arrow in arrows for source in arrow.sources]
    assert sorted(drawing(title)) == sorted(table)
