"""Units that leave between the click and the money: never both a parcel and the money by silence."""

import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.processes import Stack
from tests.sizes import SOAK, size
from tests.stories.road import Road, ship, shipping
from tests.stories.shop import Answer, Call, Case, Shop, ShopOrder, expect
from tests.waiting import eventually

stories = pytest.mark.xdist_group("stories")
crashes = pytest.mark.xdist_group("crashes")
pytestmark = pytest.mark.usefixtures("right_books")

ROUNDS, CLIENTS = size(200), 4
LATE = {"behaviour": "succeed", "delay_ms": 900}


@stories
def test_a_unit_that_a_refund_holds_is_not_shipped(shop: Shop):
    order = shop.place_order(LATE)
    case = order.request_refund()
    for call in (shipping(order), shipping(order, 1)):
        refused = shop.send(*call[:3])
        assert (refused.status, refused.body["code"]) == (409, "unit_held")
        assert refused.body["held"] == [{"refund": case.number, "quantity": 1}]
    case.becomes("refunded")
    assert shop.send(*shipping(order, 1)[:3]).status == 409


@stories
def test_what_left_after_the_claim_stays_paid_and_is_a_case_for_a_person(shop: Shop):
    order = shop.place_order(LATE)
    road = Road(order.request_refund())
    eventually(order.sends)
    parcel = ship(order, 1, left=True)
    road.ends("refunded")
    eventually(road.incidents, lambda kinds: kinds == ["shipped_after_refund"])
    assert condition(road, "ShippedAfterRefund") == "True"
    assert [paid["amount_minor"] for paid in order.gateway_refunds()] == [1000] and len(order.sends()) == 1
    [stopped] = eventually(parcel.intercepts)
    assert stopped["refund"] == road.case.number
    parcel.told("returned")
    eventually(lambda: order.look()["shipments"], lambda shipments: shipments[0]["state"] == "returned")
    assert len(order.sends()) == 1


@crashes
def test_what_left_before_the_claim_goes_the_way_of_shipped_goods(fragile_stack: Stack, fragile_shop: Shop):
    order = fragile_shop.place_order()
    fragile_stack.send("worker", signal.SIGSTOP)
    try:
        road = Road(order.request_refund())
        ship(order, 1, left=True)
    finally:
        fragile_stack.send("worker", signal.SIGCONT)
    assert road.case.becomes("in_review")["status"]["route"] == "intercept"
    assert road.trail()[-3:] == ["refund.rerouted", "refund.in_review", "refund.acknowledged"]
    assert road.incidents() == []
    road.agent("reject", reason="It has left already.")
    road.ends("rejected")
    assert order.sends() == []


@stories
@pytest.mark.sized
def test_of_a_click_and_a_shipment_at_once_one_gets_the_unit(shop: Shop):
    with ThreadPoolExecutor(CLIENTS) as pool:
        races = list(pool.map(clicked_and_shipped, [shop] * ROUNDS))
    for road, parcel in races:
        if parcel.status == 409:
            assert parcel.body["code"] == "unit_held"
            road.case.becomes("refunded")
        else:
            assert road.case.becomes("in_review")["status"]["route"] == "intercept"
        assert len(road.case.order.sends()) == (parcel.status == 409)
    assert not SOAK or {parcel.status for _, parcel in races} == {201, 409}


@stories
@pytest.mark.sized
def test_what_the_carrier_took_while_the_customer_clicked_is_not_paid_in_silence(shop: Shop):
    with ThreadPoolExecutor(CLIENTS) as pool:
        roads = list(pool.map(taken_while_clicked, [shop] * ROUNDS, range(ROUNDS)))
    ends = Counter(how_it_ended(road) for road in roads)
    for road in roads:
        assert len(road.case.order.sends()) == (road.case.look()["status"]["state"] == "refunded")
    assert not SOAK or set(ends) == {"left first", "sent to a person", "paid, and a case"}


def clicked_and_shipped(shop: Shop) -> tuple[Road, Answer]:
    """A customer and a shop that knows nothing of it, in the same moment; what the shop was answered."""
    order = shop.place_order()
    click, parcel = shop.send_together([order.asking(), shipping(order, 1)])
    return refund_in(order, click), parcel


def taken_while_clicked(shop: Shop, turn: int) -> Road:
    """In the same moment; or the parcel as soon as the click is answered; or after one more look at the order."""
    order = shop.place_order()
    calls = [order.asking(), shipping(order, 1, left=True)]
    if turn % 3 == 0:
        click, parcel = shop.send_together(calls)
    else:
        looks = [Call("GET", order.path)] * (turn % 3 - 1)
        click, *_, parcel = (shop.send(*call[:3]) for call in (calls[0], *looks, calls[1]))
    expect(parcel, 201)
    return refund_in(order, click)


def refund_in(order: ShopOrder, answer: Answer) -> Road:
    [refund] = expect(answer, 202)["refunds"]
    return Road(Case(order, refund["metadata"]["number"]))


def how_it_ended(road: Road) -> str:
    status = eventually(road.case.look, lambda refund: refund["status"]["state"] in ("in_review", "refunded"))["status"]
    if status["state"] == "in_review":
        assert status["route"] == "intercept" and road.incidents() == []
        return "sent to a person" if "refund.rerouted" in road.trail() else "left first"
    eventually(road.incidents, lambda kinds: kinds == ["shipped_after_refund"])
    assert condition(road, "ShippedAfterRefund") == "True"
    return "paid, and a case"


def condition(road: Road, kind: str) -> str:
    """Its status, empty while it is not there."""
    conditions = road.case.look()["status"]["conditions"]
    return next((c["status"] for c in conditions if c["type"] == kind), "")
