"""A changed, dropped, inserted or reordered event shows."""

from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest

from refunds.chain import Event, anchor, link
from tests.unit.refunds.shorthand import FIRST_SENT

EVENTS = [
    Event(1, "refund.requested", {"amount_minor": 1000, "lines": ["A"]}, "principal:1", "shop", FIRST_SENT),
    Event(2, "refund.refunding", {}, "system", "system", FIRST_SENT + timedelta(seconds=1)),
    Event(3, "refund.refunded", {"number": "RF-1-1"}, "system", "system", FIRST_SENT + timedelta(seconds=2)),
]


def heads(events: list[Event], number: str = "RF-1") -> list[bytes]:
    chain = [anchor(number)]
    for event in events:
        chain.append(link(chain[-1], event))
    return chain[1:]


def test_the_same_events_give_the_same_head() -> None:
    assert heads(EVENTS) == heads([replace(e, data=dict(reversed(e.data.items()))) for e in EVENTS])
    assert all(len(head) == 32 for head in heads(EVENTS))


@pytest.mark.parametrize(
    "change",
    [
        {"seq": 9},
        {"kind": "refund.rejected"},
        {"data": {"amount_minor": 1001, "lines": ["A"]}},
        {"data": {"amount_minor": 1000, "lines": ["B"]}},
        {"actor": "principal:2"},
        {"role": "support"},
        {"occurred_at": FIRST_SENT + timedelta(microseconds=1)},
    ],
)
def test_a_change_anywhere_shows_from_there_on(change: dict) -> None:
    tampered = heads([replace(EVENTS[0], **change), *EVENTS[1:]])
    assert all(a != b for a, b in zip(tampered, heads(EVENTS), strict=True))


def test_a_dropped_or_inserted_event_shows() -> None:
    assert heads(EVENTS[1:])[-1] != heads(EVENTS)[-1]
    assert heads(EVENTS[:-1])[-1] != heads(EVENTS)[-1]
    assert heads([EVENTS[0], *EVENTS])[-1] != heads(EVENTS)[-1]


def test_the_order_shows() -> None:
    ends = [heads(list(order))[-1] for order in permutations(EVENTS)]
    assert len(set(ends)) == len(ends)


def test_a_chain_is_no_other_refund_s() -> None:
    moved = heads(EVENTS, "RF-2")
    assert all(a != b for a, b in zip(moved, heads(EVENTS), strict=True))


def test_an_event_at_the_head_of_another_chain_shows() -> None:
    assert link(anchor("RF-1"), EVENTS[0]) != link(anchor("RF-11"), EVENTS[0])
    assert link(b"", EVENTS[0]) != link(anchor(""), EVENTS[0])


def test_fields_do_not_run_into_each_other() -> None:
    one = replace(EVENTS[1], actor="a", role="bc")
    other = replace(EVENTS[1], actor="ab", role="c")
    assert link(b"", one) != link(b"", other)


def test_texts_of_all_scripts_are_hashed() -> None:
    assert len(link(b"", replace(EVENTS[0], data={"label": "退款 ☂ \x7f"}))) == 32
