"""Units asked back before they left, where the policy wants to hear that they stay: what their money waits for."""

import pytest

from refunds.decide import decide, next_look
from refunds.goods import GoodsSeen
from refunds.observing import observe
from refunds.parcels import ParcelView
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt
from refunds.seen import Seen
from refunds.states import Place, RefundState, Route, Stop
from tests.unit.refunds.shorthand import FIRST_SENT, TIMING, movement, replace, second
from tests.unit.refunds.test_decide_returns import parcel

POLICY = PolicySpec(instant_limit_minor={"EUR": 50_000})
DAY = 24 * 3600


def asked(stop: str, place: Place = Place.UNSHIPPED, *parcels: ParcelView, **facts: object) -> Seen:
    """Asked for at 0, and to be confirmed within a day."""
    units = UnitsAt("A", place, 1, None if place is Place.UNSHIPPED else 1)
    defaults: dict[str, object] = {"amount_minor": 1000, "deadline": second(DAY), "acknowledged": True}
    return Seen(
        RefundState.REQUESTED,
        Route.INSTANT,
        currency="EUR",
        created_at=FIRST_SENT,
        movements=(movement("intended idle"),),
        goods=GoodsSeen(units=(units,), parcels=parcels),
        stop=Stop(stop),
        **(defaults | facts),  # type: ignore[arg-type]
    )


HOME, AWAY, THERE = Place.UNSHIPPED, Place.IN_TRANSIT, Place.DELIVERED
ANSWERS = [
    # said, the units are                                   after    leads to
    (asked("", HOME), 0, "pay_at_once, sends"),
    (asked("awaited", HOME), 0, ""),
    (asked("awaited", HOME), DAY - 1, ""),
    (asked("awaited", HOME), DAY, "counts as left"),
    (asked("awaited", HOME, held_until=second(2 * DAY)), DAY, ""),
    (asked("stopped", HOME), 0, "pay_at_once, sends"),
    (asked("stopped", HOME), DAY, "pay_at_once, sends"),
    (asked("stopped", HOME, amount_minor=50_001), 0, "send_to_review"),
    # Wherever they are now, and whatever was said before: they are not at home.
    (asked("stopped", AWAY), 0, "send_to_review"),
    (asked("left", AWAY), 0, "send_to_review"),
    (asked("left", THERE), 0, "send_to_review"),
    (asked("unconfirmed", AWAY), DAY, "send_to_review"),
]


@pytest.mark.parametrize(("it", "at", "leads_to"), ANSWERS)
def test_what_the_answer_leads_to(it: Seen, at: float, leads_to: str) -> None:
    plan = decide(it, POLICY, now=second(at))
    found = [*plan.verbs, *["sends" for _ in plan.sends], *["counts as left"] * plan.counts_as_left]
    assert ", ".join(found) == leads_to


def test_the_time_to_answer_begins_with_the_first_look_and_wakes_it() -> None:
    policy = PolicySpec(stop_shipment="confirm", confirm_seconds=3600)
    plan = decide(asked("awaited", deadline=None), policy, now=second(0))
    assert plan.deadline == second(3600)
    waiting = asked("awaited", deadline=plan.deadline)
    assert decide(waiting, policy, now=second(60)).deadline == plan.deadline
    assert next_look(waiting, policy, now=second(60), timing=TIMING) == plan.deadline


def test_that_it_was_received_is_told_while_it_waits() -> None:
    waiting = asked("awaited", acknowledged=False)
    assert decide(waiting, POLICY, now=second(59)).messages == ()
    assert decide(waiting, POLICY, now=second(60)).messages == ("received",)


UNTRACKED, TRACKED = parcel(tracking_number=""), parcel()
SAID = [
    # said           units, in a parcel           is shown                                   a person has to stop it
    ("", HOME, [], None, False),
    ("awaited", HOME, [], "Unknown AwaitingConfirmation", False),
    ("stopped", HOME, [], "True Confirmed", False),
    ("left", AWAY, [UNTRACKED], "False HasLeft", True),
    ("left", AWAY, [TRACKED], "False HasLeft", False),
    ("unconfirmed", AWAY, [UNTRACKED], "False NotConfirmed", True),
]


@pytest.mark.parametrize(("stop", "place", "parcels", "shown", "by_hand"), SAID)
def test_what_is_shown_of_it(
    stop: str, place: Place, parcels: list[ParcelView], shown: str | None, by_hand: bool
) -> None:
    found = {c.type: c for c in observe(asked(stop, place, *parcels), now=second(0))}
    stopped = found.get("ShipmentStopped")
    assert (stopped and f"{stopped.status} {stopped.reason}") == shown
    assert bool(stopped and "no carrier can be asked" in stopped.message) is by_hand


def test_nobody_waits_for_an_answer_about_what_was_cancelled() -> None:
    ended = replace(asked("awaited"), state=RefundState.CANCELLED)
    assert "ShipmentStopped" not in {c.type for c in observe(ended, now=second(0))}
    assert decide(ended, POLICY, now=second(2 * DAY)).counts_as_left is False
