"""Refunds that wait: each brought to where it waits for somebody, and left alone there."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

import redis

from refunds.calendars import Calendar
from refunds.policy import BUILT_IN_NAME
from tests.processes import Stack
from tests.stories.courier import Courier, in_review
from tests.stories.road import Road, ship
from tests.stories.shop import Case, Shop, ShopOrder, expect
from tests.waiting import eventually

Begin = Callable[[Shop], Road]
BERLIN = ZoneInfo("Europe/Berlin")


def paid_slowly(shop: Shop) -> Road:
    """Unshipped; the gateway has accepted it, and takes for ever."""
    case = shop.place_order({"behaviour": "pending_then_succeed", "settle_ms": 600_000}).request_refund()
    eventually(case.movement, lambda movement: movement["state"] == "pending")
    return Road(case)


def reviewed_by_nobody(shop: Shop) -> Road:
    return in_review(shop)


def reviewed_by_nobody_under_a_policy_that_rejects(shop: Shop) -> Road:
    """The policy is in force for this request alone."""
    in_force(shop, review_outcome="reject")
    try:
        return in_review(shop)
    finally:
        in_force(shop, review_outcome="wait")


def reviewed_by_nobody_over(shop: Shop, calendar: Calendar) -> Road:
    with calendar_in_force(shop, calendar):
        return in_review(shop)


def approved_by_one_person_alone(shop: Shop) -> Road:
    """Above the limit of a policy that is in force for this request alone."""
    in_force(shop, second_approval_minor={"EUR": 500})
    try:
        road = in_review(shop)
    finally:
        in_force(shop, second_approval_minor={})
    road.agent("approve", goods="keep")
    road.case.becomes("refunding")
    return road


def stopped_for_all_anybody_says(shop: Shop) -> Road:
    """Unshipped, under a policy that wants to hear it: in force for this request alone."""
    in_force(shop, stop_shipment="confirm")
    try:
        road = Road(shop.place_order().request_refund())
    finally:
        in_force(shop, stop_shipment="assume")
    eventually(road.case.look, lambda refund: refund["status"]["deadline"] is not None)
    return road


def offered_and_never_answered(shop: Shop) -> Road:
    road = in_review(shop)
    road.agent("offer", amount_minor=300, note="For the scratch.")
    road.case.becomes("offered")
    return road


def asked_and_never_answered(shop: Shop) -> Road:
    road = in_review(shop)
    road.agent("ask", text="Which of the two is broken?")
    return road


def rejected_and_never_contested(shop: Shop) -> Road:
    road = in_review(shop)
    road.agent("reject", reason="The seal was broken.")
    road.case.becomes("rejected")
    return road


def delivered_and_not_received(shop: Shop) -> Road:
    """So he says, and nobody proves the contrary."""
    order = shop.place_order()
    ship(order).delivered()
    road = _asked(order, goods="not_received")
    eventually(road.trail, lambda trail: "carrier.proof_requested" in trail)
    return road


def sent_and_never_heard_of(shop: Shop) -> Road:
    """On its way; no carrier says where it is."""
    order = shop.place_order()
    ship(order)
    road = Road(order.request_refund())
    assert road.case.becomes("in_review")["status"]["route"] == "intercept"
    return road


def replaced_by_nothing(shop: Shop) -> Road:
    """Another one was to come instead of the money; the shop states no order for it."""
    order = shop.place_order()
    ship(order).delivered()
    road = _asked(order, reason="defective", goods="keep", remedy="replacement")
    road.case.becomes("in_review")
    road.agent("approve")
    eventually(road.trail, lambda trail: "refund.replacement_wanted" in trail)
    return road


def held_for_a_day(shop: Shop) -> Road:
    road = in_review(shop)
    _hold(road, days=1)
    return road


def posted_by_nobody(shop: Shop) -> Road:
    """The customer has sent the goods, he says, and never tells how."""
    order = shop.place_order()
    ship(order).delivered()
    road = _asked(order, goods="already_sent")
    road.approved("pickup")
    return road


def posted_by_nobody_and_held(shop: Shop) -> Road:
    """As long as the policy allows."""
    road = posted_by_nobody(shop)
    road.agent("hold")
    return road


def posted_and_never_there(shop: Shop) -> Road:
    road = posted_by_nobody(shop)
    expect(road.act("ship_back", "shop", carrier="DHL", tracking_number=f"X{road.case.number}"), 200)
    return road


def disputed_for_ever(shop: Shop) -> Road:
    """The customer's bank has the money withheld, and is silent."""
    road = in_review(shop)
    order = road.case.order
    dispute = {"payment_reference": order.payment, "amount_minor": order.total_minor, "currency": "EUR"}
    shop.gateway("POST", "/disputes", dispute, status=201)
    _waits_under(road, "DisputeOpen")
    road.agent("approve", goods="keep")
    road.case.becomes("refunding")
    return road


def held_and_never_captured(shop: Shop) -> Road:
    """Unshipped; more is held than it costs, so that the hold is not for us to end."""
    order = shop.new_order()
    hold = {"gateway": "sandbox", "reference": order.payment, "captured_minor": 0, "authorized_minor": 1500}
    expect(order.put(payments=[hold]), 201)
    road = Road(order.request_refund())
    _waits_under(road, "AwaitingCapture")
    return road


def fetched_by_nobody(shop: Shop) -> Road:
    """No courier is to be had."""
    road = in_review(shop)
    Courier(road).answers(book=["none_available"])
    road.agent("approve")
    eventually(Courier(road).sends)
    return road


def labelled_and_never_handed_in(shop: Shop) -> Road:
    order = shop.place_order()
    ship(order).delivered()
    road = _asked(order, way_back="drop_off")
    road.approved("pickup")
    eventually(road.mails, lambda mails: "label_ready" in mails)
    return road


def booked_and_never_there(shop: Shop) -> Road:
    road = in_review(shop)
    road.agent("approve")
    road.booked()
    return road


def collected_and_never_there(shop: Shop) -> Road:
    road = booked_and_never_there(shop)
    road.courier("collected")
    return road


def stopped_by_nobody(shop: Shop) -> Road:
    """On its way; the carrier says that he will try, and is not heard of again."""
    order = shop.place_order()
    parcel = ship(order)
    road = Road(order.request_refund())
    road.approved("intercept")
    eventually(parcel.intercepts)
    return road


def inspected_by_nobody(shop: Shop) -> Road:
    road = booked_and_never_there(shop)
    road.courier("received")
    road.case.becomes("inspecting")
    return road


def inspected_by_nobody_and_held(shop: Shop) -> Road:
    road = inspected_by_nobody(shop)
    _hold(road, days=3)
    return road


def _asked(order: ShopOrder, **facts: Any) -> Road:
    body = {"lines": "all"} | facts
    [refund] = expect(order.shop.send("POST", f"{order.path}/refunds", body), 202)["refunds"]
    return Road(Case(order, refund["metadata"]["number"]))


def _hold(road: Road, *, days: float) -> None:
    until = business_time(road.case.order.shop) + timedelta(days=days)
    road.agent("hold", until=until.isoformat())


def in_force(shop: Shop, **rules: Any) -> None:
    """A new version of the policy, with these rules other than before."""
    shop.stack.query(
        "WITH next AS (INSERT INTO refunds_policyversion (name, generation, spec, precedence)"
        " SELECT name, generation + 1, spec || %s::jsonb, 0"
        " FROM refunds_policyversion WHERE name = %s ORDER BY generation DESC LIMIT 1 RETURNING id, name)"
        " UPDATE refunds_policyinforce f SET version_id = next.id FROM next WHERE f.name = next.name",
        json.dumps(rules),
        BUILT_IN_NAME,
    )


@contextmanager
def calendar_in_force(shop: Shop, calendar: Calendar) -> Iterator[None]:
    """For what is asked meanwhile alone."""
    in_force(shop, calendar=calendar.to_json())
    try:
        yield
    finally:
        in_force(shop, calendar=Calendar().to_json())


def _waits_under(road: Road, condition: str) -> None:
    eventually(road.case.look, lambda refund: condition in [c["type"] for c in refund["status"]["conditions"]])


def two_days_off(shop: Shop) -> Calendar:
    """Tomorrow and the day after it."""
    today = business_time(shop).astimezone(BERLIN).date()
    return Calendar(BERLIN.key, holidays=frozenset(today + timedelta(days=n) for n in (1, 2)))


def business_time(shop: Shop) -> datetime:
    [(now,)] = shop.stack.query("SELECT refundry_now()")
    return cast(datetime, now)


def pass_time(stack: Stack, seconds: float) -> None:
    """Nothing but the clock is left to tell that something is due."""
    stack.pass_time(seconds)
    with redis.Redis.from_url(stack.redis_url) as client:
        client.flushall()


def until(shop: Shop, at: datetime) -> None:
    pass_time(shop.stack, (at - business_time(shop)).total_seconds())
