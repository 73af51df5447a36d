"""What the pictures of return windows that are over show; see `tests.browser.screenshots`."""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from tests.browser.customers import Customer
from tests.browser.policy_scenes import put_in_force
from tests.processes import Stack
from tests.stories.road import shipping
from tests.stories.shop import ShopOrder, expect

POLICIES: dict[str, dict[str, Any]] = {
    "week": {"window": {"days": 7}},
    "week-and-faults": {"window": {"days": 7, "faultDays": 90}},
}


@cache
def declared(stack: Stack) -> None:
    of_their_own = {name: spec | {"selector": {"labels": {"kind": name}}} for name, spec in POLICIES.items()}
    put_in_force(stack, [("RefundPolicy", name, spec) for name, spec in of_their_own.items()])


def bought(customer: Customer, kind: str, *parcels: tuple[int, int]) -> ShopOrder:
    """Of so many mugs each parcel was delivered so many days ago."""
    declared(customer.shop.stack)
    placed = customer.buys(3, labels={"kind": kind})
    for quantity, days in parcels:
        then = (datetime.now(UTC) - timedelta(days=days)).isoformat()
        call = shipping(placed, quantity)
        expect(placed.shop.send(call.method, call.path, call.body | {"shipped_at": then, "delivered_at": then}), 201)
    return placed


def window_over(customer: Customer) -> None:
    customer.opens(bought(customer, "week", (3, 9)))


def window_over_of_some(customer: Customer) -> None:
    customer.opens(bought(customer, "week", (1, 9), (1, 2)))


def only_faulty(customer: Customer) -> None:
    customer.opens(bought(customer, "week-and-faults", (3, 9)))


def only_faulty_form(customer: Customer) -> None:
    customer.opens(bought(customer, "week-and-faults", (3, 9)), "/refund")


def only_faulty_of_some(customer: Customer) -> None:
    customer.opens(bought(customer, "week-and-faults", (1, 9), (1, 2)), "/refund")


SCENES = (window_over, window_over_of_some, only_faulty, only_faulty_form, only_faulty_of_some)
