"""When a movement is sent, when it is asked about, when it is looked at again, and what it does to the ledger."""

from itertools import product

import pytest

from refunds.movements import MovementView, ledger_kinds, next_time, wants_ask, wants_send
from refunds.states import MovementState
from tests.unit.refunds.shorthand import CAN_BE_ASKED, NEITHER, ONLY_KEYS, movement, replace, second
from workers.ports import Capabilities

NEVER, BY_ITSELF = None, "now"

WHAT_IS_DUE = [
    # gateway      what we hold          at s   what is wanted, and when it is looked at next
    (CAN_BE_ASKED, "intended idle", 0, "send", BY_ITSELF),
    (CAN_BE_ASKED, "intended sent", 9, "nothing", 10),
    (CAN_BE_ASKED, "intended sent", 10, "ask", BY_ITSELF),
    (CAN_BE_ASKED, "intended unknown", 3, "ask", BY_ITSELF),
    (CAN_BE_ASKED, "pending idle id:a", 99, "ask", BY_ITSELF),
    (CAN_BE_ASKED, "pending sent #2 id:a", 9, "nothing", 10),
    (CAN_BE_ASKED, "succeeded sent #2 id:a", 10, "ask", BY_ITSELF),
    (CAN_BE_ASKED, "succeeded idle id:a", 99, "nothing", NEVER),
    (CAN_BE_ASKED, "failed idle", 99, "nothing", NEVER),
    (CAN_BE_ASKED, "reversed idle id:a", 99, "nothing", NEVER),
    (CAN_BE_ASKED, "cancelled idle", 99, "nothing", NEVER),
    (CAN_BE_ASKED, "external idle", 99, "nothing", NEVER),
    # Nobody to ask: the same key again after the settle time, while the gateway remembers it (an hour here).
    (ONLY_KEYS, "intended idle", 0, "send", BY_ITSELF),
    (ONLY_KEYS, "intended sent", 9, "nothing", 10),
    (ONLY_KEYS, "intended sent", 10, "nothing", 15),
    (ONLY_KEYS, "intended unknown", 3, "nothing", 15),
    (ONLY_KEYS, "intended unknown", 15, "send", 15),
    (ONLY_KEYS, "intended sent", 15, "send", 15),
    (ONLY_KEYS, "intended unknown", 3599, "send", 15),
    (ONLY_KEYS, "intended unknown", 3600, "nothing", NEVER),
    (ONLY_KEYS, "intended sent", 3600, "nothing", NEVER),
    (ONLY_KEYS, "pending idle id:a", 99, "nothing", NEVER),
    # Neither: never a second send by itself.
    (NEITHER, "intended idle", 0, "send", BY_ITSELF),
    (NEITHER, "intended sent", 9, "nothing", 10),
    (NEITHER, "intended sent", 99, "nothing", NEVER),
    (NEITHER, "intended unknown", 99, "nothing", NEVER),
    (NEITHER, "pending idle id:a", 99, "nothing", NEVER),
]


@pytest.mark.parametrize(("can", "held", "at", "wanted", "next_look"), WHAT_IS_DUE)
def test_what_is_due(can: Capabilities, held: str, at: float, wanted: str, next_look: object) -> None:
    """Controller check 32; upstream: TestControllerSyncJob "suspending a job with unsatisfied expectations"."""
    it, now = movement(held, can), second(at)
    assert _wanted(it, at) == wanted
    expected = {NEVER: None, BY_ITSELF: now}[next_look] if next_look in (NEVER, BY_ITSELF) else second(next_look)
    assert next_time(it, now) == expected


@pytest.mark.parametrize(
    ("can", "held", "wanted"),
    [
        (CAN_BE_ASKED, "intended idle #1", "send"),
        (CAN_BE_ASKED, "intended unknown", "ask"),
        (CAN_BE_ASKED, "pending idle id:a", "ask"),
        (CAN_BE_ASKED, "succeeded idle id:a", "ask"),  # a webhook spoke of something new
        (CAN_BE_ASKED, "cancelled idle", "ask"),
        (ONLY_KEYS, "intended unknown", "send"),
    ],
)
def test_nothing_is_done_before_its_time(can: Capabilities, held: str, wanted: str) -> None:
    """Controller check 19; upstream: TestControllerSyncJob "too few active pods and active back-off"."""
    it = movement(held, can)
    waiting = replace(it, call=replace(it.call, retry_at=second(60)))
    assert (_wanted(waiting, 59), _wanted(waiting, 60)) == ("nothing", wanted)
    assert next_time(waiting, second(59)) == second(60)


ENTRIES = [
    # reserve with the request; the reservation ends with success, failure or cancel
    ("intended", "pending", ()),
    ("intended", "succeeded", ("release", "refund")),
    ("intended", "failed", ("release",)),
    ("intended", "cancelled", ("release",)),
    ("intended", "external", ("release", "external")),
    ("pending", "succeeded", ("release", "refund")),
    ("pending", "failed", ("release",)),
    ("failed", "intended", ("reserve",)),
    ("failed", "pending", ("reserve",)),
    ("failed", "succeeded", ("refund",)),
    ("failed", "cancelled", ()),
    ("failed", "external", ("external",)),
    # after a reversal the amount stays reserved for its refund
    ("succeeded", "reversed", ("reversal", "reserve")),
]


@pytest.mark.parametrize(("before", "after", "kinds"), ENTRIES)
def test_what_a_movement_books(before: str, after: str, kinds: tuple[str, ...]) -> None:
    assert ledger_kinds(MovementState(before), MovementState(after)) == kinds


RESERVED = {"intended": 1, "pending": 1, "reversed": 1}
REFUNDED = {"succeeded": 1, "external": 1}
EFFECTS = {"reserve": (1, 0), "release": (-1, 0), "refund": (0, 1), "external": (0, 1), "reversal": (0, -1)}


@pytest.mark.parametrize(("before", "after"), list(product(MovementState, MovementState)))
def test_whatever_way_a_movement_takes_the_sums_say_where_it_stands(
    before: MovementState, after: MovementState
) -> None:
    """Controller check 74; upstream: TestGetNewFinshedPods, TestTrackJobStatusAndRemoveFinalizers "pod flips from
    failed to succeeded", TestTrackJobStatusAndRemoveFinalizers "pod patch errors with partial success"."""
    if before is MovementState.EXTERNAL and after is not before:
        return  # what a person recorded is corrected by a person
    reserved, refunded = RESERVED.get(before, 0), REFUNDED.get(before, 0)
    for kind in ledger_kinds(before, after):
        reserved, refunded = reserved + EFFECTS[kind][0], refunded + EFFECTS[kind][1]
        assert reserved >= 0 and refunded >= 0
    assert (reserved, refunded) == (RESERVED.get(after, 0), REFUNDED.get(after, 0))


def _wanted(it: MovementView, at: float) -> str:
    wanted = [word for word, wants in (("send", wants_send), ("ask", wants_ask)) if wants(it, second(at))]
    assert len(wanted) < 2
    return "".join(wanted) or "nothing"
