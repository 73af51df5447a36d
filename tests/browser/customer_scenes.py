"""What the pictures of the customer's pages and of the demo show; see `tests.browser.screenshots`."""

from collections.abc import Callable

from tests.browser.customers import Customer, roads_of
from tests.browser.demo import front_of
from tests.stories.road import MUG, mugs, ship
from tests.waiting import eventually

Scene = Callable[[Customer], None]


def order(customer: Customer) -> None:
    """Something in every place, and a refund that has ended."""
    placed = customer.buys(6)
    ship(placed, 1).delivered()
    ship(placed, 2)
    placed.request_refund(mugs(1))
    placed.becomes("partially_refunded")
    customer.opens(placed)


def ask(customer: Customer) -> None:
    placed = customer.buys()
    ship(placed, 1).delivered()
    customer.opens(placed, "/refund")
    customer.page.locator("summary").click()


def wrong(customer: Customer) -> None:
    customer.opens(customer.buys(), "/refund")
    customer.page.locator("input[name^=units-]").fill("7")
    customer.page.locator("form button").click()


def preview(customer: Customer) -> None:
    placed = customer.buys(3, discounts=[{"label": "Spring", "amount_minor": 300}])
    ship(placed, 1).delivered()
    customer.opens(placed)
    customer.chooses(3)
    customer.sees_the_sum()


def review(customer: Customer) -> None:
    placed = customer.buys()
    ship(placed)
    customer.asks(placed, 1)
    roads_of(placed)["intercept"].case.becomes("in_review")
    customer.page.reload()


def split(customer: Customer) -> None:
    placed = customer.buys()
    ship(placed, 1).delivered()
    customer.asks(placed, 3)
    roads_of(placed)["instant"].ends("refunded")
    roads_of(placed)["pickup"].case.becomes("in_review")
    customer.page.reload()


def courier(customer: Customer) -> None:
    placed = customer.buys()
    ship(placed).delivered()
    customer.asks(placed, 2)
    road = roads_of(placed)["pickup"]
    road.approved("pickup")
    road.booked()
    customer.page.reload()
    for summary in customer.page.locator("section summary").all():
        summary.click()


def inspected(customer: Customer) -> None:
    placed = customer.buys()
    ship(placed).delivered()
    customer.asks(placed, 3)
    road = roads_of(placed)["pickup"]
    road.approved("pickup")
    road.fetched()
    road.warehouse("inspect", lines=[{"sku": MUG, "accepted": 2, "damaged": 1}])
    road.ends("refunded")
    customer.page.reload()


def rejected(customer: Customer) -> None:
    placed = customer.buys()
    ship(placed).delivered()
    customer.asks(placed, 1)
    road = roads_of(placed)["pickup"]
    road.case.becomes("in_review")
    road.agent("reject", reason="The seal was broken, as your photo shows.")
    road.ends("rejected")
    customer.page.reload()


def refunded(customer: Customer) -> None:
    placed = customer.buys()
    customer.asks(placed, 3)
    roads_of(placed)["instant"].ends("refunded")
    customer.page.reload()
    customer.page.locator("summary").first.click()


def unpaid(customer: Customer) -> None:
    """Nobody has paid: it can only be cancelled."""
    customer.opens(customer.buys(payments=[]))
    customer.page.locator("summary").click()


def lookup(customer: Customer) -> None:
    customer.page.goto(f"{customer.shop.stack.base_url}/r/")


def expired(customer: Customer) -> None:
    customer.page.goto(f"{customer.shop.stack.base_url}/r/no-such-link")


def unknown(customer: Customer) -> None:
    lookup(customer)
    customer.page.locator("#id_number").fill(customer.buys().number)
    customer.page.locator("#id_email").fill("another@customer.example")
    customer.page.locator("form[action='/r/'] button").click()
    customer.page.locator("form[action='/r/new-link']").wait_for()


def new_link(customer: Customer) -> None:
    unknown(customer)
    customer.page.locator("form[action='/r/new-link'] button").click()
    customer.page.wait_for_url("**/new-link")


def front(customer: Customer) -> None:
    language = "zh-hans" if customer.language == "zh-CN" else "en"
    customer.page.goto(f"{front_of(customer.shop.stack)}?lang={language}")


def inbox(customer: Customer) -> None:
    """All that one customer was sent."""
    placed = customer.buys()
    customer.asks(placed, 1)
    roads_of(placed)["instant"].ends("refunded")
    customer.page.goto(f"{customer.shop.stack.inbox_url}/?to={placed.email}")


def mail(customer: Customer) -> None:
    inbox(customer)
    customer.page.locator(".rows strong a").first.click()
    customer.page.frame_locator("iframe").locator("h1").wait_for()


def sandbox(customer: Customer) -> None:
    """A courier on his way, and a gateway that takes its time."""
    courier(customer)
    placed = customer.buys()
    script = {"refunds": [{"behaviour": "pending_then_succeed", "settle_ms": 3_600_000}]}
    customer.shop.gateway("PUT", f"/scripts/{placed.payment}", script)
    customer.asks(placed, 1)
    eventually(placed.gateway_refunds)
    customer.page.goto(customer.shop.stack.sandbox_url)


SCENES: tuple[Scene, ...] = (
    order,
    ask,
    wrong,
    preview,
    review,
    split,
    courier,
    inspected,
    rejected,
    refunded,
    unpaid,
    lookup,
    expired,
    unknown,
    new_link,
    front,
    inbox,
    mail,
    sandbox,
)
