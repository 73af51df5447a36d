"""Whatever the gateway does: right state, right ledger, right messages, and the money moves once or not at all."""

from dataclasses import dataclass

import pytest

from tests.stories.shop import Case, Shop, expect
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("stories")

AT_ONCE = ["email: refunded_at_once", "sms: refunded_at_once"]
FAILED = ["email: failed", "sms: failed"]


@dataclass(frozen=True)
class Story:
    """`gateway` are the states of the refunds at the gateway in the end, `keys` the idempotency keys of all sends, in
    order, as what follows the number; `asked`: whether the outcome had to be looked up."""

    script: object
    state: str = "refunded"
    gateway: tuple[str, ...] = ("succeeded",)
    keys: tuple[str, ...] = ("",)
    told: tuple[str, ...] = (*AT_ONCE,)
    reserved_minor: int = 0
    asked: bool = False


STORIES = {
    "answers at once": Story("succeed"),
    "declines": Story("decline", state="failed", gateway=(), told=(*FAILED,)),
    "has not enough funds": Story("insufficient_funds", state="failed", gateway=(), told=(*FAILED,)),
    "times out after it has paid": Story("timeout_after_success", asked=True),
    "times out before it has paid": Story("timeout_before", keys=("", ""), asked=True),
    "fails before it has paid": Story("error_500", keys=("", ".1"), asked=True),
    "fails after it has paid": Story("error_500_after_success", asked=True),
    "accepts and pays later": Story("pending_then_succeed", asked=True),
    "accepts and then fails": Story(
        "pending_then_fail", state="failed", gateway=("failed",), told=(*FAILED,), asked=True
    ),
    "sends its webhook before it answers": Story({"behaviour": "succeed", "delay_ms": 700}),
    "answers too late": Story({"behaviour": "succeed", "delay_ms": 2500, "webhook_copies": 0}, asked=True),
    "sends every webhook three times": Story({"behaviour": "pending_then_succeed", "webhook_copies": 3}, asked=True),
    "sends no webhook": Story({"behaviour": "pending_then_succeed", "webhook_copies": 0}, asked=True),
    "sends its webhooks in reversed order": Story(
        {"behaviour": "pending_then_succeed", "webhook_order": "reversed"}, asked=True
    ),
    "takes the money back": Story(
        "succeed_then_reverse",
        state="failed",
        gateway=("reversed",),
        told=(AT_ONCE[0], "email: reversed", AT_ONCE[1], "sms: reversed"),
        reserved_minor=1000,
        asked=True,
    ),
}


@pytest.fixture(scope="module")
def cases(shop: Shop) -> dict[str, Case]:
    """All stories begin at once, so that they take no longer than the longest."""
    return {name: shop.place_order(story.script).request_refund() for name, story in STORIES.items()}


@pytest.mark.parametrize("name", STORIES)
def test_a_gateway_that(name: str, cases: dict[str, Case]):
    story, case = STORIES[name], cases[name]
    eventually(case.told, lambda told: told == list(story.told))
    refund, movement = case.comes_to_rest(story.state), case.movement()

    assert [paid["status"] for paid in case.order.gateway_refunds()] == list(story.gateway)
    assert [send["idempotency_key"] for send in case.order.sends()] == [movement["number"] + key for key in story.keys]
    assert bool(case.order.questions()) == story.asked
    assert _money(case) == (story.reserved_minor, 1000 if story.state == "refunded" else 0)
    assert _delivered(case) == [told.split(":")[0] for told in story.told]
    assert (refund["status"]["finished_at"] is not None) == (story.state == "refunded")
    trail = [event["type"] for event in case.trail()]
    assert len(trail) == len(set(trail)), "no fact is taken in twice"


def _money(case: Case) -> tuple[int, int]:
    """What the order's payment has reserved and refunded."""
    [payment] = case.order.look()["payments"]
    return payment["reserved_minor"], payment["refunded_minor"]


def _delivered(case: Case) -> list[str]:
    """The channel of each message; one whose answer was too late comes again under its id."""
    by_id = {m["message_id"]: m["channel"] for m in case.messages("email") + case.messages("sms")}
    return list(by_id.values())


@pytest.mark.parametrize("script", ["succeed", "timeout_after_success"])
def test_a_gateway_that_ends_a_hold(shop: Shop, script: str):
    order = shop.new_order()
    shop.gateway("PUT", f"/scripts/{order.payment}", {"refunds": [script], "captured_minor": 0})
    hold = {"gateway": "sandbox", "reference": order.payment, "captured_minor": 0, "authorized_minor": 1000}
    expect(order.put(payments=[hold]), 201)
    case = order.request_refund()
    case.comes_to_rest("refunded")
    movement = case.movement()
    assert (movement["kind"], movement["state"]) == ("void", "succeeded")
    assert [send["idempotency_key"] for send in order.sends()] == [f"{movement['number']}-void"]
    assert bool(order.questions()) == (script != "succeed")
    assert _money(case) == (0, 0)
