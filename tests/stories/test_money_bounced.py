"""Money bounced by the bank, sent elsewhere: by the customer's own word as store credit, by an agent to an account."""

import re
from typing import Any

import pytest

from tests.stories.page import press
from tests.stories.road import Road
from tests.stories.shop import Shop, expect
from tests.waiting import eventually

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.usefixtures("right_books")]

BOUNCES = {"behaviour": "succeed_then_reverse", "settle_ms": 600}
IBAN = "DE02120300000000202051"
CODE = re.compile(r"(\d{6})(?: confirms|：确认)")


def test_money_that_bounced_goes_to_another_account_once_customer_and_a_second_person_agree(shop: Shop):
    road = bounced(shop)
    road.agent("set_target", account="sandbox", payee=IBAN, payee_name="Ada", proof="letter 7")
    code = code_told(road)
    assert "***2051" in road.case.messages("sms")[-1]["text"]
    wrong = road.act("confirm_target", "support", code=f"{(int(code) + 1) % 10**6:06d}")
    assert (wrong.status, wrong.body["code"], wrong.body["trials_left"]) == (409, "code_wrong", 4)
    confirmed = [road.act("confirm_target", "support", code=code) for _ in range(2)]
    assert [answer.status for answer in confirmed] == [200, 409]
    eventually(lambda: waits(road), lambda reason: reason == "Missing")
    assert len(road.case.order.gateway_refunds()) == 1
    assert road.act("second_approve", "support").status == 403
    expect(road.act("second_approve", "supervisor"), 200)
    refund = road.ends("refunded")
    first, second = road.case.order.gateway_refunds()
    assert (first["status"], second["status"], second["payee"], second["amount_minor"]) == (
        "reversed",
        "succeeded",
        IBAN,
        1000,
    )
    assert road.mails() == ["refunded_at_once", "reversed", "target_set", "refunded"]
    assert road.texts() == ["refunded_at_once", "reversed", "target_code", "target_set", "refunded"]
    assert len(road.case.messages("email")) == 4 and len(road.case.messages("sms")) == 5
    assert IBAN not in str(refund) and IBAN not in str(road.case.messages("email")) + str(road.case.trail())
    assert "***2051" in road.case.messages("email")[2]["text"]


def test_the_customer_has_bounced_money_as_store_credit_with_a_code_and_never_by_the_link_alone(shop: Shop):
    road = bounced(shop)
    page = road.case.order.shop.send("POST", f"{road.case.order.path}/links", {"purpose": "order"})
    url = expect(page, 201)["url"]
    press(url, road, "set_target")
    assert road.case.look()["status"]["state"] == "failed" and road.movements() == [f"{road.case.number}-1"]
    press(url, road, "confirm_target", code=code_told(road))
    road.ends("refunded")
    assert [m["target"] for m in road.case.look()["status"]["gateway_refunds"]] == ["", "store-credit"]
    assert len(road.case.order.gateway_refunds()) == 1
    assert road.mails() == ["refunded_at_once", "reversed", "target_set", "refunded"]
    assert road.texts() == ["refunded_at_once", "reversed", "target_code", "target_set", "refunded"]


def bounced(shop: Shop) -> Road:
    """Paid, and the bank has sent it back; the customer has been told both."""
    road = Road(shop.place_order(BOUNCES).request_refund())
    road.ends("refunded")
    road.ends("failed")
    return road


def code_told(road: Road) -> str:
    """As the customer reads it on his phone, in English or Chinese."""
    [code] = eventually(
        lambda: [found[1] for text in road.case.messages("sms") if (found := CODE.search(text["text"]))]
    )
    return str(code)


def waits(road: Road) -> Any:
    conditions = road.case.look()["status"]["conditions"]
    return next((c["reason"] for c in conditions if c["type"] == "ApprovalConformant"), None)
