"""An offer: declined by the link in the mail, then approved; and accepted. Every message once."""

import re

import pytest

from tests.stories.courier import Courier, in_review
from tests.stories.page import press
from tests.stories.road import Road
from tests.stories.shop import Shop

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.usefixtures("right_books")]
NOTE = "The scratch is on the bottom, where nobody sees it."


@pytest.fixture
def road(shop: Shop) -> Road:
    road = in_review(shop)
    road.agent("offer", amount_minor=300, note=NOTE)
    road.ends("offered")
    return road


def link_told(road: Road) -> str:
    """Of the mail that offers: to the order's page."""
    text = road.case.messages("email")[-1]["text"]
    assert "€3.00" in text and NOTE in text
    found = re.search(r"https?://\S+?/r/[^/\s]+", text)
    assert found, text
    return found[0]


def test_an_offer_is_declined_and_the_refund_approved(road: Road):
    press(link_told(road), road, "decline_offer")
    road.case.becomes("in_review")
    assert road.act("accept_offer", "shop").body["code"] == "no_offer"
    road.agent("approve")
    road.fetched()
    road.inspected(accepted=1)
    road.ends("refunded")
    Courier(road).is_heard()
    assert [refund["amount_minor"] for refund in road.case.order.gateway_refunds()] == [1000]
    assert road.mails() == ["received", "offered", "pickup_booked", "refunded"]
    assert road.texts() == ["offered", "pickup_booked", "refunded"]
    assert (len(road.case.messages("email")), len(road.case.messages("sms"))) == (4, 3)


def test_an_offer_is_accepted_and_the_goods_are_kept(road: Road):
    press(link_told(road), road, "accept_offer")
    road.ends("refunded")
    assert road.act("decline_offer", "shop").body["code"] == "no_offer"
    assert [refund["amount_minor"] for refund in road.case.order.gateway_refunds()] == [300]
    assert (road.mails(), road.texts()) == (["received", "offered", "refunded"], ["offered", "refunded"])
    assert (len(road.case.messages("email")), len(road.case.messages("sms"))) == (3, 2)
