"""What the pictures of the console show; see `tests.browser.screenshots`. Each brings a page to where it is taken."""

from collections.abc import Callable

from tests.browser.agents import Agent, delivered
from tests.stories.road import Road, mugs, ship
from tests.stories.shop import Case, expect
from tests.stories.waits import disputed_for_ever
from tests.waiting import eventually

Scene = Callable[[Agent], None]
DAY = 24 * 3600


def login(agent: Agent) -> None:
    agent.page.goto(f"{agent.console}/")


def queues(agent: Agent) -> None:
    agent.logs_in()


def refund_list(agent: Agent) -> None:
    for quantity in (1, 2):
        delivered(agent.shop, quantity)
    delivered(agent.shop, by="support")
    agent.logs_in()
    agent.opens("refunds/")


def case(agent: Agent) -> None:
    road = delivered(agent.shop)
    agent.logs_in()
    agent.opens(f"refunds/{road.case.number}/")


def approve(agent: Agent) -> None:
    case(agent)
    agent.door("approve").click()


def stale(agent: Agent) -> None:
    road = delivered(agent.shop)
    agent.logs_in()
    agent.opens(f"refunds/{road.case.number}/")
    agent.fills("reject", reason="The seal is broken.")
    road.agent("hold")
    agent.sends("reject")
    agent.page.locator("#since-title").wait_for()


def inspect(agent: Agent) -> None:
    """Received, and the counts do not add up."""
    road = delivered(agent.shop)
    road.approved("pickup")
    road.fetched()
    supervisor = Agent(agent.shop, agent.page, "supervisor")
    supervisor.logs_in()
    supervisor.opens(f"refunds/{road.case.number}/")
    supervisor.fills("inspect", **{"accepted-0": "1", "damaged-0": "1"})
    supervisor.sends("inspect")
    supervisor.page.locator(".rf-error").first.wait_for()


def paid(agent: Agent) -> None:
    order = agent.shop.place_order(quantity=3)
    ship(order, 1)
    refund = order.request_refund(mugs(2))
    refund.comes_to_rest("refunded")
    agent.logs_in()
    agent.opens(f"refunds/{refund.number}/")


def failed(agent: Agent) -> None:
    order = agent.shop.place_order("decline")
    refund = order.request_refund()
    refund.becomes("failed")
    finance = Agent(agent.shop, agent.page, "finance")
    finance.logs_in()
    finance.opens(f"refunds/{refund.number}/")


def incidents(agent: Agent) -> None:
    agent.shop.place_order("decline").request_refund().becomes("failed")
    agent.logs_in()
    agent.opens("incidents/")


def incident(agent: Agent) -> None:
    """The carrier took what is being paid back."""
    order = agent.shop.place_order({"behaviour": "pending_then_succeed", "settle_ms": 1000})
    road = Road(order.request_refund())
    eventually(order.sends)
    ship(order, 1, left=True)
    eventually(road.incidents)
    agent.logs_in()
    agent.opens(f"refunds/{road.case.number}/")
    agent.page.locator("main a[href*='/incidents/']").click()
    agent.page.locator("#id_note").wait_for()


def nothing(agent: Agent) -> None:
    agent.logs_in()
    agent.opens("refunds/?q=nothing+like+it")


def odd(agent: Agent) -> None:
    """Many lines with long names and words without a gap, of a customer whose name is long too."""
    order = agent.shop.new_order()
    name = "Maximiliane-Eleonore Gräfin von Hohenlohe-Waldenburg-Schillingsfürst"
    things = ["A porcelain mug with a gilded handle, a saucer and a spoon, in a box of oak", "W" * 60, "杯子" * 30]
    lines = [
        {"sku": f"SKU-{n}-{'0' * 40}", "name": things[n % 3], "quantity": 3, "unit_price_minor": 123_456}
        for n in range(12)
    ]
    paid = {"gateway": "sandbox", "reference": order.payment, "captured_minor": 12 * 3 * 123_456}
    customer = {"name": name, "email": f"{'long.' * 10}{order.email}", "locale": "en"}
    expect(order.put(customer=customer, lines=lines, payments=[paid]), 201)
    units = [{"id": line["id"], "quantity": 3} for line in order.look()["lines"]]
    parcel = {"lines": units, "carrier": "A carrier with a long name", "tracking_number": "T" * 60}
    shipment = expect(agent.shop.send("POST", f"{order.path}/shipments", parcel), 201)["id"]
    expect(agent.shop.send("POST", f"{order.path}/shipments/{shipment}/delivered"), 200)
    body = {"lines": "all", "reason": "damaged", "note": "Broken. " * 60 + "W" * 200}
    [refund] = expect(agent.shop.send("POST", f"{order.path}/refunds", body), 202)["refunds"]
    Case(order, refund["metadata"]["number"]).becomes("in_review")
    agent.logs_in()
    agent.opens(f"refunds/{refund['metadata']['number']}/")
    agent.door("approve").click()
    agent.page.locator("#approve-quantity-3").fill("9")
    agent.sends("approve")
    agent.page.locator(".rf-error").first.wait_for()


def orders(agent: Agent) -> None:
    agent.logs_in()
    agent.opens("orders/")


def order_page(agent: Agent) -> None:
    road = delivered(agent.shop)
    agent.logs_in()
    agent.opens_order(road.case.order.number)


def bulk(agent: Agent) -> None:
    roads = [delivered(agent.shop), delivered(agent.shop)]
    agent.logs_in()
    agent.opens("refunds/?state=in_review")
    for road in roads:
        agent.page.locator(f"input[value^='{road.case.number} ']").check()
    agent.page.locator("button[value=reject]").click()
    agent.page.locator("#reject-reason").wait_for()


def bulk_done(agent: Agent) -> None:
    mine = delivered(agent.shop)
    hers = delivered(agent.shop)
    agent.logs_in()
    agent.opens("refunds/?state=in_review")
    for road in (mine, hers):
        agent.page.locator(f"input[value^='{road.case.number} ']").check()
    agent.page.locator("button[value=approve]").click()
    hers.agent("hold")
    agent.page.locator("main button").click()
    agent.page.locator("#done-title").wait_for()


def nowhere(agent: Agent) -> None:
    agent.logs_in()
    agent.opens("refunds/RF-999999999/")


def password(agent: Agent) -> None:
    agent.logs_in()
    agent.page.goto(f"{agent.console}/password/")


def adjust(agent: Agent) -> None:
    """Two forms open, one of them with an amount that is none."""
    road = delivered(agent.shop)
    supervisor = Agent(agent.shop, agent.page, "supervisor")
    supervisor.logs_in()
    supervisor.opens_order(road.case.order.number)
    supervisor.door("adjust").click()
    supervisor.door("amount").click()
    agent.page.locator("#amount-amount").fill("1e3")
    supervisor.sends("amount")
    agent.page.locator(".rf-error").first.wait_for()
    supervisor.door("adjust").click()


def adjust_confirm(agent: Agent) -> None:
    order = agent.shop.place_order(quantity=2)
    agent.logs_in()
    agent.opens_order(order.number)
    agent.door("adjust").click()
    agent.page.locator("input[id^=adjust-off-]").fill("1.50")
    agent.sends("adjust")
    agent.page.locator("#confirm-title").wait_for()


def external(agent: Agent) -> None:
    failed(agent)
    finance = Agent(agent.shop, agent.page, "finance")
    finance.fills("record_external", amount="1e3", reference="Bank statement 17")
    finance.sends("record_external")
    agent.page.locator(".rf-error").first.wait_for()


def credited(agent: Agent) -> None:
    """Given as store credit, of an order whose customer then has some."""
    order = agent.shop.place_order(quantity=2)
    body = {"lines": "all", "refund_to": "store_credit"}
    [refund] = expect(agent.shop.send("POST", f"{order.path}/refunds", body), 202)["refunds"]
    Case(order, refund["metadata"]["number"]).comes_to_rest("refunded")
    agent.logs_in()
    agent.opens(f"refunds/{refund['metadata']['number']}/")


def credited_order(agent: Agent) -> None:
    credited(agent)
    agent.page.locator("#console a[href*='/orders/']").first.click()
    agent.page.locator("#refunds-title").wait_for()


def disputed(agent: Agent) -> None:
    road = disputed_for_ever(agent.shop)
    supervisor = Agent(agent.shop, agent.page, "supervisor")
    supervisor.logs_in()
    supervisor.opens(f"refunds/{road.case.number}/")


def books(agent: Agent) -> None:
    credited(agent)
    agent.shop.stack.pass_time(DAY)
    agent.shop.stack.manage("books", "close")
    agent.page.context.clear_cookies()
    finance = Agent(agent.shop, agent.page, "finance")
    finance.logs_in()
    finance.opens("books/")


SCENES: tuple[Scene, ...] = (
    login,
    queues,
    refund_list,
    case,
    approve,
    stale,
    inspect,
    paid,
    failed,
    incidents,
    incident,
    nothing,
    odd,
    orders,
    order_page,
    bulk,
    bulk_done,
    nowhere,
    password,
    adjust,
    adjust_confirm,
    external,
    credited,
    credited_order,
    disputed,
    books,
)
