"""The rules, in the order of a refund's life: where it stands and what is so of it -> what the engine does by itself.

Read it first, top to bottom: not sent yet, in review, offered, awaited, here, looked at, paid, ended. Money, couriers'
calls and clocks have tables of their own beside it (`test_decide`, `test_decide_returns`, `test_decide_stop`,
`test_proving`, `test_replacing`, `test_waiting_for_money`).
"""

from typing import Any

import pytest

from refunds.approving import Second
from refunds.decide import Plan
from refunds.goods import GoodsSeen
from refunds.policy import PolicySpec
from refunds.routing import UnitsAt
from refunds.seen import Seen
from refunds.states import Goods, Place, Proof, RefundState, Route, Stop
from tests.unit.refunds.homeward import DAY, at, parcel, pickup, plan, returning
from tests.unit.refunds.shorthand import movement, replace

#: Where the units are, and what the customer wants with them.
PLACES = {
    "not sent": (Place.UNSHIPPED, Goods.RETURN, Route.INSTANT),
    "on its way": (Place.IN_TRANSIT, Goods.RETURN, Route.INTERCEPT),
    "with him": (Place.DELIVERED, Goods.RETURN, Route.PICKUP),
    "kept": (Place.DELIVERED, Goods.KEEP, Route.REFUND_ONLY),
    "denied": (Place.DELIVERED, Goods.NOT_RECEIVED, Route.REFUND_ONLY),
    "posted": (Place.DELIVERED, Goods.ALREADY_SENT, Route.PICKUP),
}
LATE = {"deadline": at(0)}
ON_HOLD = {"held_from": at(0), "held_until": at(20 * DAY)}
NEW = {"acknowledged": False, "approved": False, "deadline": None}
BOOKED, HAS_IT = [pickup("booked")], [pickup("collected", collected_at=at(0))]
MISSED, NEVER = [pickup("missed", missed=1)], [pickup("missed", missed=3)]
REFUSED, LOST = [pickup("refused")], [pickup("lost", collected_at=at(0))]
HERE, BACK, STOPPED = [pickup("received")], [parcel("returned")], [parcel("intercepting")]

Facts = dict[str, Any]
RULES: list[tuple[str, str, Facts, Facts, str]] = [
    # the refund is, its goods are, what else is so, the policy says -> it does
    #
    # Asked for: what was never sent is paid at once, and told when it is done; what was sent goes to a person.
    ("requested", "not sent", NEW, {}, "pay_at_once"),
    ("requested", "not sent", NEW, {"instant_limit_minor": {"EUR": 999}}, "send_to_review"),
    ("requested", "not sent", NEW | {"stop": Stop.AWAITED}, {}, ""),
    ("requested", "not sent", NEW | {"stop": Stop.AWAITED} | LATE, {}, "counts as left"),
    ("requested", "on its way", NEW, {}, "send_to_review, tells received"),
    ("requested", "with him", NEW, {}, "send_to_review, tells received"),
    ("requested", "with him", NEW, {"approve_returns": True}, "await_return, fetches, tells received"),
    ("requested", "kept", NEW, {}, "send_to_review, tells received"),
    ("requested", "kept", NEW | {"by_shop": True}, {}, "pay_at_once, tells received"),
    ("requested", "denied", NEW, {}, "send_to_review, asks for proof, tells received"),
    ("requested", "with him", NEW | {"contested": True}, {"approve_returns": True}, "send_to_review, tells received"),
    ("requested", "not sent", NEW | {"second": Second.MISSING}, {}, "send_to_review"),
    # In review: a person decides, and the clock by the policy where nobody does.
    ("in_review", "with him", {}, {}, ""),
    ("in_review", "with him", LATE, {}, "case review_overdue"),
    ("in_review", "with him", LATE, {"review_outcome": "reject"}, "reject, tells rejected"),
    ("in_review", "with him", LATE | ON_HOLD, {"review_outcome": "reject"}, ""),
    ("in_review", "with him", LATE | {"received": True}, {"review_outcome": "reject"}, "case review_overdue"),
    ("in_review", "with him", LATE | {"pickups": HAS_IT}, {"review_outcome": "reject"}, "case review_overdue"),
    ("in_review", "denied", {"proof": Proof.AWAITED}, {}, ""),
    ("in_review", "denied", {"proof": Proof.GIVEN}, {}, ""),
    ("in_review", "denied", {"proof": Proof.MISSING}, {}, "case proof_missing"),
    ("in_review", "denied", {"proof": Proof.MISSING}, {"proof_outcome": "approve"}, "approve_refund, pays"),
    ("in_review", "with him", {"cancel_wanted": True}, {}, "cancel, tells cancelled"),
    ("in_review", "with him", {"cancel_wanted": True, "pickups": BOOKED}, {}, ""),
    # Offered: the customer decides; he keeps the goods, so an offer ends when they come.
    ("offered", "with him", {}, {}, ""),
    ("offered", "with him", {"deadline": at(2 * DAY)}, {}, "tells offer_reminder"),
    ("offered", "with him", {"deadline": at(2 * DAY), "reminded": True}, {}, ""),
    ("offered", "with him", LATE, {}, "decline_offer, tells offer_expired"),
    ("offered", "with him", LATE | ON_HOLD, {}, ""),
    ("offered", "with him", {"pickups": HAS_IT}, {}, "decline_offer"),
    # Awaited: a courier fetches them, or a carrier brings them back, or the customer sends them.
    ("awaiting_return", "with him", {}, {}, "fetches"),
    ("awaiting_return", "with him", ON_HOLD, {}, ""),
    ("awaiting_return", "with him", {"pickups": BOOKED}, {}, ""),
    ("awaiting_return", "with him", {"pickups": BOOKED, "deadline": at(2 * DAY)}, {}, "tells reminder"),
    ("awaiting_return", "with him", {"pickups": MISSED}, {}, "fetches anew"),
    ("awaiting_return", "with him", {"pickups": NEVER}, {}, "return_fails, case return_failed"),
    ("awaiting_return", "with him", {"pickups": REFUSED}, {}, "return_fails, case return_failed"),
    ("awaiting_return", "with him", {"pickups": HAS_IT}, {}, ""),
    ("awaiting_return", "with him", {"pickups": HAS_IT}, {"pay_on": "collection"}, "pay_uninspected, pays"),
    ("awaiting_return", "with him", {"pickups": LOST}, {}, "pay_uninspected, pays"),
    ("awaiting_return", "with him", LATE, {}, "expire, tells expired"),
    ("awaiting_return", "with him", LATE | ON_HOLD, {}, ""),
    ("awaiting_return", "with him", LATE | {"pickups": HAS_IT}, {}, ""),
    ("awaiting_return", "posted", {}, {}, ""),
    ("awaiting_return", "posted", LATE, {}, "return_fails, case return_failed"),
    ("awaiting_return", "on its way", {"parcels": STOPPED}, {}, ""),
    ("awaiting_return", "on its way", {"parcels": STOPPED} | LATE, {}, "return_fails, case return_failed"),
    ("awaiting_return", "on its way", {"parcels": BACK}, {}, "pay_uninspected, pays"),
    ("awaiting_return", "on its way", {"parcels": [parcel("lost")]}, {}, "pay_uninspected, pays"),
    ("awaiting_return", "with him", {"cancel_wanted": True, "pickups": BOOKED}, {}, ""),
    ("awaiting_return", "with him", {"cancel_wanted": True, "pickups": MISSED}, {}, "cancel, tells cancelled"),
    ("awaiting_return", "with him", {"cancel_wanted": True, "pickups": HAS_IT}, {}, ""),
    # Here: they are looked at, unless the policy pays before.
    ("awaiting_return", "with him", {"pickups": HERE}, {}, "receive"),
    ("awaiting_return", "with him", {"received": True}, {}, "receive"),
    ("awaiting_return", "with him", {"received": True} | LATE, {}, "receive"),
    ("awaiting_return", "with him", {"received": True}, {"pay_on": "receipt"}, "pay_uninspected, pays"),
    ("awaiting_return", "with him", {"received": True, "doubted": True}, {"pay_on": "receipt"}, "receive"),
    ("awaiting_return", "with him", {"pickups": HAS_IT, "doubted": True}, {"pay_on": "collection"}, ""),
    ("awaiting_return", "with him", {"pickups": LOST, "doubted": True}, {}, "return_fails, case return_failed"),
    # Looked at: by the warehouse; not in time, and all of it counts as accepted.
    ("inspecting", "with him", {"received": True}, {}, ""),
    ("inspecting", "with him", {"received": True} | LATE, {}, "accept_goods, pays"),
    ("inspecting", "with him", {"received": True, "doubted": True} | LATE, {}, ""),
    ("inspecting", "with him", {"received": True} | LATE | ON_HOLD, {}, ""),
    # Paid: what was agreed to and nothing else, once nobody is waited for.
    ("refunding", "with him", {}, {}, "pays"),
    ("refunding", "with him", ON_HOLD, {}, ""),
    ("refunding", "with him", {"second": Second.MISSING}, {}, ""),
    ("refunding", "with him", {"second": Second.MISSING} | LATE, {}, "recall"),
    ("refunding", "with him", {"approved": False}, {}, "recall"),
    ("refunding", "with him", LATE, {}, "fail, tells failed, case refund_failed"),
    ("refunding", "with him", {"money": "succeeded idle id:a"}, {}, "succeed, tells refunded"),
    ("refunding", "with him", {"money": "failed idle"}, {}, "fail, tells failed, case refund_failed"),
    ("refunding", "with him", {"money": "intended unknown"} | LATE, {}, "looks it up"),
    # Ended: it stays so, until money or goods turn up again.
    ("failed", "with him", {"money": "succeeded idle id:a"}, {}, "settle, tells refunded"),
    ("refunded", "with him", {"money": "reversed idle id:a"}, {}, "reverse, tells reversed, case refund_reversed"),
    ("rejected", "with him", {"money": "cancelled idle", "contest_until": at(DAY)}, {}, ""),
    ("rejected", "with him", {"money": "cancelled idle", "contest_until": at(0)}, {}, "nothing is contested any more"),
    ("cancelled", "with him", {"money": "cancelled idle"}, {}, ""),
    ("expired", "with him", {"money": "cancelled idle"}, {}, ""),
]


@pytest.mark.parametrize(("state", "place", "facts", "rules", "does"), RULES)
def test_what_the_engine_does_by_itself(state: str, place: str, facts: Facts, rules: Facts, does: str) -> None:
    done = plan(seen(state, place, **facts), policy=PolicySpec(**rules), now=30.0)
    assert ", ".join(said(done)) == does


def test_every_state_has_its_rules() -> None:
    written = {state for state, *_ in RULES} | {RefundState.PARTIALLY_REFUNDED.value}
    assert written == {state.value for state in RefundState}


def seen(state: str, place: str, **facts: Any) -> Seen:
    where, wanted, route = PLACES[place]
    doubted, money = facts.pop("doubted", False), facts.pop("money", "intended idle")
    pickups = facts.pop("pickups", [])
    facts = {"state": RefundState(state), "route": route, "movements": (movement(money),)} | facts
    it = returning(*pickups, place=where, wanted=wanted, **facts)
    units = (UnitsAt("A", where, 1, None if where is Place.UNSHIPPED else 1),)
    goods: GoodsSeen = replace(it.goods, units=units, doubted=doubted)
    return replace(it, goods=goods)


def said(done: Plan) -> list[str]:
    """The plan in words, couriers' calls apart."""
    words = [*done.verbs]
    words += ["counts as left"] * done.counts_as_left + ["asks for proof"] * done.asks_proof
    words += ["fetches"] * done.new_pickup + ["fetches anew"] * bool(done.rebook)
    words += ["pays"] * (bool(done.sends) and "pay_at_once" not in done.verbs) + ["looks it up"] * bool(done.asks)
    words += ["nothing is contested any more"] * done.contest_over
    return words + [f"tells {name}" for name in done.messages] + [f"case {kind}" for kind in done.incidents]
