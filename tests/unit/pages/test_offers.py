"""What of an order can be refunded is promised as the shop's policy has it."""

from typing import Any

import pytest

from refunds.pages.presenters.offers import offer_of, what_happens
from refunds.pages.presenters.terms import Terms
from refunds.pages.presenters.words import Words
from refunds.policy import PolicySpec
from refunds.states import Route

PLAIN, CONFIRM = PolicySpec(), PolicySpec(stop_shipment="confirm")
LIMITED = PolicySpec(stop_shipment="confirm", instant_limit_minor={"EUR": 2000})
AT_ONCE, LOOKED_AT = "the money goes back at once", "customer service looks at it, then the money goes back"
CONFIRMED = "as soon as the shop confirms that it will not be"


@pytest.mark.parametrize(
    ("policy", "route", "amount_minor", "said"),
    [
        (PLAIN, Route.INSTANT, 3000, AT_ONCE),
        (CONFIRM, Route.INSTANT, 3000, CONFIRMED),
        (CONFIRM, Route.INSTANT, 0, "It has not been sent, and is cancelled at once."),
        (PLAIN, Route.INSTANT, 0, "It has not been sent, and is cancelled at once."),
        (LIMITED, Route.INSTANT, 3000, LOOKED_AT),
        (LIMITED, Route.INSTANT, 2000, CONFIRMED),
        (CONFIRM, Route.INTERCEPT, 3000, "customer service looks at it"),
        (PLAIN, Route.PICKUP, 3000, "customer service looks at it; then a courier fetches it"),
        (PolicySpec(approve_returns=True), Route.PICKUP, 3000, "You have it: a courier fetches it"),
        (PLAIN, Route.REFUND_ONLY, 3000, "Nothing has to be sent back"),
    ],
)
def test_a_preview_promises_what_the_policy_does(
    policy: PolicySpec, route: Route, amount_minor: int, said: str
) -> None:
    assert said in what_happens(route, amount_minor, Terms(policy, "EUR", amount_minor))


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (PLAIN, "2 not sent yet: refunded at once"),
        (CONFIRM, "2 not sent yet: refunded as soon as the shop confirms that it is not sent"),
        (LIMITED, "2 not sent yet: refunded; a large amount is looked at first"),
    ],
)
def test_an_order_promises_what_the_policy_may_do(policy: PolicySpec, said: str) -> None:
    routes = [{"route": "instant", "quantity": 2}, {"route": "pickup", "quantity": 1}]
    left = {"quantity": 3, "amount_minor": 3000, "routes": routes, "why_not": None}
    left |= {"until": None, "excluded_by": None, "limited": []}
    line: dict[str, Any] = {"name": "Mug", "quantity": 3, "refundable": left}
    offer = offer_of(line, 1, {}, Words(), Terms(policy, "EUR", 3000))
    assert offer.where == (said, "1 delivered: a courier fetches it from you")
