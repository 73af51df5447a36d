"""What the pictures of the way back show, for customers and at the console; see `tests.browser.screenshots`."""

from typing import Any

from tests.browser.agents import Agent, delivered
from tests.browser.customers import LOCALES, Customer
from tests.browser.money_scenes import asked, opens
from tests.browser.target_scenes import awaiting_second, bounced, to_an_account
from tests.pictures import picture
from tests.stories import waits
from tests.stories.courier import Courier
from tests.stories.road import Road, ship
from tests.stories.shop import Shop, expect
from tests.waiting import eventually

QUESTION = "Which of the two handles is broken, and does the lid still close?"
ANSWER = "The left one. The lid closes, with some force."
REASON = "The photo shows that the seal was broken by hand."


def asked_back(customer: Customer, quantity: int = 2, **wish: Any) -> Road:
    """He has the goods, and a person looks at what he wants."""
    order = customer.shop.place_order(quantity=quantity, locale=LOCALES[customer.language])
    ship(order).delivered()
    road = asked(order, **wish)
    road.case.becomes("in_review")
    return road


def fetched(customer: Customer, quantity: int = 2) -> Road:
    road = asked_back(customer, quantity)
    road.agent("approve")
    road.fetched()
    return road


def return_asking(customer: Customer) -> None:
    placed = customer.buys(2)
    ship(placed).delivered()
    customer.opens(placed, "/refund")
    customer.shows_all()


def return_preview(customer: Customer) -> None:
    return_asking(customer)
    customer.page.locator("input[name^=units-]").fill("2")
    customer.page.locator("input[value=drop_off]").check()
    customer.page.locator("input[name=boxes]").fill("2")
    customer.sees_the_sum()


def return_question(customer: Customer) -> None:
    road = asked_back(customer)
    road.agent("ask", text=QUESTION)
    opens(customer, road)


def return_offer(customer: Customer) -> None:
    road = asked_back(customer)
    road.agent("offer", amount_minor=300, note="For the scratch on the bottom.")
    opens(customer, road)


def return_hold(customer: Customer) -> None:
    road = asked_back(customer)
    road.agent("hold")
    opens(customer, road)


def return_label(customer: Customer) -> None:
    road = asked_back(customer, way_back="drop_off", boxes=2)
    road.agent("approve")
    eventually(road.mails, lambda mails: "label_ready" in mails)
    opens(customer, road)


def return_slots(customer: Customer) -> None:
    road = asked_back(customer)
    road.agent("approve")
    road.booked()
    opens(customer, road)
    customer.page.locator("a[href$='/slots']").click()


def return_missed(customer: Customer) -> None:
    road = asked_back(customer)
    road.agent("approve")
    first = road.booked()
    Courier(road).tells("missed")
    eventually(road.booked, lambda pickup: pickup["waybill"] != first["waybill"])
    opens(customer, road)


def return_lost(customer: Customer) -> None:
    road = asked_back(customer)
    road.agent("approve")
    road.booked()
    road.courier("collected", "lost")
    road.ends("refunded")
    opens(customer, road)


def return_rejected(customer: Customer) -> None:
    road = asked_back(customer)
    road.agent("reject", reason=REASON)
    opens(customer, road)


def return_contested(customer: Customer) -> None:
    road = asked_back(customer)
    road.agent("reject", reason=REASON)
    expect(road.act("contest", "shop", note="It was broken when it came."), 200)
    opens(customer, road)


def return_checked(customer: Customer) -> None:
    road = fetched(customer, 3)
    road.inspected(accepted=1, damaged=1, missing=1)
    road.ends("refunded")
    opens(customer, road)


def return_doubted(customer: Customer) -> None:
    road = fetched(customer)
    road.warehouse("doubt_parcel", what="weight_differs", note="Two kilograms too little.")
    opens(customer, road)


def return_denied(customer: Customer) -> None:
    """Proof of the delivery is asked for."""
    road = asked_back(customer, goods="not_received")
    eventually(road.trail, lambda trail: "carrier.proof_requested" in trail)
    opens(customer, road)


def return_replacing(customer: Customer) -> None:
    road = asked_back(customer, goods="keep", reason="defective", remedy="replacement")
    road.agent("approve")
    eventually(road.trail, lambda trail: "refund.replacement_wanted" in trail)
    opens(customer, road)


def gift(customer: Customer) -> None:
    placed = customer.buys(2)
    ship(placed).delivered()
    customer.opens(placed, purpose="gift")


def return_arrival(customer: Customer) -> None:
    """On its way, as far as anybody reports; he can say that he has it."""
    placed = customer.buys(2)
    ship(placed)
    road = asked(placed)
    road.case.becomes("in_review")
    opens(customer, road)
    customer.page.locator("form[action$='/confirm_arrival']").wait_for()


def return_arrived(customer: Customer) -> None:
    """He has said so."""
    return_arrival(customer)
    customer.page.locator("form[action$='/confirm_arrival'] button").click()
    customer.page.locator("form[action$='/confirm_arrival']").wait_for(state="detached")
    customer.shows_all()


def gift_asking(customer: Customer) -> None:
    """The recipient follows the address of the form: only the payer can ask."""
    placed = customer.buys(2)
    ship(placed).delivered()
    customer.opens(placed, "/refund", purpose="gift")


CUSTOMER = (
    return_asking,
    return_preview,
    return_question,
    return_offer,
    return_hold,
    return_label,
    return_slots,
    return_missed,
    return_lost,
    return_rejected,
    return_contested,
    return_checked,
    return_doubted,
    return_denied,
    return_replacing,
    gift,
    gift_asking,
    return_arrival,
    return_arrived,
)


def talked_about(shop: Shop) -> Road:
    """A question, its answer and a photo, an offer that was declined."""
    road = delivered(shop)
    road.agent("ask", text=QUESTION)
    expect(road.act("write", "shop", text=ANSWER), 200)
    headers = {"Content-Type": "image/jpeg", **shop.stack.authorization("shop")}
    path = f"/api/v1/refunds/{road.case.number}/evidence"
    assert shop.post_signed(path, picture(size=(600, 800)), headers).status == 200
    road.agent("offer", amount_minor=300, note="For the scratch on the bottom.")
    expect(road.act("decline_offer", "shop"), 200)
    return road


def supervisor_at(agent: Agent, road: Road) -> Agent:
    supervisor = Agent(agent.shop, agent.page, "supervisor")
    supervisor.logs_in()
    supervisor.opens(f"refunds/{road.case.number}/")
    return supervisor


def thread(agent: Agent) -> None:
    supervisor_at(agent, talked_about(agent.shop))


def offer(agent: Agent) -> None:
    boss = supervisor_at(agent, delivered(agent.shop))
    boss.fills("offer", amount="3.00", note="For the scratch.")
    boss.door("ask").click()
    boss.door("replace").click()


def second(agent: Agent) -> None:
    """One person has approved it; above the limit another has to."""
    supervisor_at(agent, waits.approved_by_one_person_alone(agent.shop))


def target(agent: Agent) -> None:
    boss = supervisor_at(agent, bounced(agent.shop))
    boss.door("set_target").click()


def target_code(agent: Agent) -> None:
    supervisor_at(agent, to_an_account(agent.shop))


def target_second(agent: Agent) -> None:
    """The customer's code was right; the one who said where it goes may not agree."""
    supervisor_at(agent, awaiting_second(agent.shop))


def boxes(agent: Agent) -> None:
    """The first of two was looked at; dispositions are asked for."""
    road = delivered(agent.shop)
    road.approved("pickup")
    road.fetched()
    road.warehouse("inspect", lines=[{"sku": "MUG", "accepted": 1, "disposition": "restock"}], more=True)
    supervisor_at(agent, road).door("inspect").click()


def found(agent: Agent) -> None:
    road = delivered(agent.shop)
    road.approved("pickup")
    road.fetched()
    road.warehouse("inspect", lines=[{"sku": "MUG", "accepted": 1, "damaged": 1, "missing": 1}])
    road.ends("refunded")
    supervisor_at(agent, road)


def slots(agent: Agent) -> None:
    road = delivered(agent.shop)
    road.approved("pickup")
    road.booked()
    supervisor_at(agent, road).opens(f"refunds/{road.case.number}/slots/")


def denied(agent: Agent) -> None:
    """Proof of the delivery is asked for."""
    supervisor_at(agent, waits.delivered_and_not_received(agent.shop))


def returns(agent: Agent) -> None:
    supervisor = Agent(agent.shop, agent.page, "supervisor")
    supervisor.logs_in()
    supervisor.opens("returns/")


def people(agent: Agent) -> None:
    supervisor = Agent(agent.shop, agent.page, "supervisor")
    supervisor.logs_in()
    supervisor.opens("people/")


CONSOLE = (thread, offer, second, target, target_code, target_second, boxes, found, slots, denied, returns, people)
