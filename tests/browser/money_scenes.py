"""More of what a customer meets: each way that money takes, each wait, each error. See `tests.browser.screenshots`."""

from typing import Any

from tests.browser.customer_scenes import Scene, lookup
from tests.browser.customers import LOCALES, Customer
from tests.browser.test_button import shop_page, token_of
from tests.stories.courier import Courier
from tests.stories.road import MUG, Road, ship
from tests.stories.shop import Case, ShopOrder, expect
from tests.stories.waits import in_force
from tests.waiting import eventually


def asked(order: ShopOrder, **wish: Any) -> Road:
    """By the customer, through the shop's own pages."""
    [refund] = expect(order.shop.send("POST", f"{order.path}/refunds", {"lines": "all", **wish}), 202)["refunds"]
    return Road(Case(order, refund["metadata"]["number"]))


def opens(customer: Customer, road: Road) -> None:
    """The page of its request, with all that is folded."""
    customer.opens(road.case.order)
    customer.page.locator("a[href*='/requests/']").first.click()
    customer.page.locator("#live").wait_for(state="attached")
    customer.shows_all()


def _paid_twice(customer: Customer, *gift_card: str) -> ShopOrder:
    """By card and gift card; the gift card's gateway answers as the script says."""
    order = customer.shop.new_order(quantity=3, locale=LOCALES[customer.language])
    card, gift = f"{order.payment}-card", f"{order.payment}-gift"
    if gift_card:
        customer.shop.gateway("PUT", f"/scripts/{gift}", {"refunds": list(gift_card)})
    paid = {"gateway": "sandbox"}
    payments = [
        {**paid, "reference": card, "method": "card", "captured_minor": 2000},
        {**paid, "reference": gift, "method": "gift_card", "captured_minor": 1000},
    ]
    expect(order.put(payments=payments), 201)
    return order


def several(customer: Customer) -> None:
    """Back to a card and to a gift card."""
    road = asked(_paid_twice(customer))
    road.ends("refunded")
    opens(customer, road)


def several_preview(customer: Customer) -> None:
    customer.opens(_paid_twice(customer))
    customer.chooses(2)
    customer.sees_the_sum()


def failed(customer: Customer) -> None:
    placed = customer.shop.place_order("decline", locale=LOCALES[customer.language])
    road = asked(placed)
    road.case.becomes("failed")
    opens(customer, road)


def failed_in_part(customer: Customer) -> None:
    road = asked(_paid_twice(customer, "decline"))
    road.case.becomes("failed")
    opens(customer, road)


def closed_in_part(customer: Customer) -> None:
    road = asked(_paid_twice(customer, "decline"))
    road.case.becomes("failed")
    expect(road.act("close", "finance", note="The gift card is gone."), 200)
    road.case.becomes("partially_refunded")
    opens(customer, road)


def by_hand(customer: Customer) -> None:
    """The gateway did not pay; finance has, by hand."""
    road = asked(_paid_twice(customer, "decline"))
    road.case.becomes("failed")
    expect(road.act("record_external", "finance", amount_minor=1000, reference="Statement 17"), 200)
    road.ends("refunded")
    opens(customer, road)


def credited(customer: Customer) -> None:
    placed = customer.buys()
    road = asked(placed, refund_to="store_credit")
    road.ends("refunded")
    opens(customer, road)


def credited_order(customer: Customer) -> None:
    credited(customer)
    customer.page.locator("hgroup a").click()
    customer.page.locator("#items").wait_for()


def kept(customer: Customer) -> None:
    """Less what the shop keeps, and the goods looked at."""
    road = _with_fees(customer)
    road.approved("pickup")
    road.fetched()
    road.inspected(accepted=2, damaged=1)
    road.ends("refunded")
    opens(customer, road)


def _with_fees(customer: Customer) -> Road:
    fee = {"per_mille": 100, "fixed_minor": {}}
    shipping = {"per_mille": 0, "fixed_minor": {"EUR": 495}}
    in_force(customer.shop, restocking_fee=fee, return_shipping_fee=shipping)
    try:
        placed = customer.buys()
        ship(placed).delivered()
        return asked(placed, reason="changed_mind")
    finally:
        none = {"per_mille": 0, "fixed_minor": {}}
        in_force(customer.shop, restocking_fee=none, return_shipping_fee=none)


def held(customer: Customer) -> None:
    placed = customer.buys()
    ship(placed).delivered()
    road = asked(placed)
    road.case.becomes("in_review")
    road.agent("hold")
    opens(customer, road)


def missed(customer: Customer) -> None:
    placed = customer.buys()
    ship(placed).delivered()
    road = asked(placed)
    road.approved("pickup")
    road.booked()
    courier = Courier(road)
    courier.answers(book=["none_available"])
    courier.tells("missed")
    eventually(road.pickup, lambda pickup: pickup["missed"] == 1)
    opens(customer, road)


def posted(customer: Customer) -> None:
    """The customer has sent the goods, and the form is not filled in."""
    placed = customer.buys()
    ship(placed).delivered()
    road = asked(placed, goods="already_sent")
    road.approved("pickup")
    opens(customer, road)
    customer.page.locator("form[action$='/ship_back'] button").click()
    customer.page.locator(".wrong").first.wait_for()


def cancelled(customer: Customer) -> None:
    placed = customer.buys()
    ship(placed).delivered()
    road = asked(placed)
    road.case.becomes("in_review")
    expect(road.act("cancel", "shop"), 200)
    road.case.becomes("cancelled")
    opens(customer, road)


def overpaid(customer: Customer) -> None:
    placed = customer.shop.new_order(quantity=1, locale=LOCALES[customer.language])
    paid = {"gateway": "sandbox", "reference": placed.payment, "captured_minor": 1250}
    expect(placed.put(payments=[paid]), 201)
    customer.opens(placed)


def currencies(customer: Customer) -> None:
    """Amounts without decimals, in thousands."""
    placed = customer.shop.new_order(quantity=2, locale=LOCALES[customer.language])
    paid = {"gateway": "sandbox", "reference": placed.payment, "captured_minor": 2_469_000}
    line = {"sku": MUG, "name": "Teapot", "quantity": 2, "unit_price_minor": 1_234_500}
    expect(placed.put(currency="JPY", lines=[line], payments=[paid]), 201)
    customer.opens(placed)
    customer.chooses(2)
    customer.sees_the_sum()


def missing(customer: Customer) -> None:
    """A good link, and a refund that there is not."""
    customer.opens(customer.buys(), "/requests/RF-999999999")


def too_often(customer: Customer) -> None:
    number = customer.buys().number
    for _ in range(12):
        lookup(customer)
        customer.page.locator("#id_number").fill(number)
        customer.page.locator("#id_email").fill("another@customer.example")
        customer.page.locator("form[action='/r/'] button").click()
        customer.page.locator("footer").wait_for(state="attached")


def button(customer: Customer) -> None:
    """On a shop's own page."""
    placed = customer.buys(1)
    base = customer.shop.stack.base_url
    with shop_page(base, placed.number, token_of(placed), lang=customer.language) as address:
        customer.page.goto(address)
        customer.page.locator("refund-button a").wait_for()


SCENES: tuple[Scene, ...] = (
    several,
    several_preview,
    failed,
    failed_in_part,
    closed_in_part,
    by_hand,
    credited,
    credited_order,
    kept,
    held,
    missed,
    posted,
    cancelled,
    overpaid,
    currencies,
    missing,
    too_often,
    button,
)
