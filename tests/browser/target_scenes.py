"""What the pictures of money that came back show: where it goes instead, and by whose word."""

from tests.browser.customer_scenes import Scene
from tests.browser.customers import LOCALES, Customer
from tests.browser.money_scenes import opens
from tests.stories.road import Road
from tests.stories.shop import Shop, expect
from tests.stories.test_money_bounced import BOUNCES, IBAN, code_told


def bounced(shop: Shop, language: str = "en") -> Road:
    road = Road(shop.place_order(BOUNCES, locale=LOCALES[language]).request_refund())
    road.ends("refunded")
    road.ends("failed")
    return road


def to_an_account(shop: Shop, language: str = "en") -> Road:
    road = bounced(shop, language)
    road.agent("set_target", account="sandbox", payee=IBAN, payee_name="Ada", proof="letter 7")
    return road


def awaiting_second(shop: Shop, language: str = "en") -> Road:
    """The customer has said that it is his account; a second person has not."""
    road = to_an_account(shop, language)
    expect(road.act("confirm_target", "support", code=code_told(road)), 200)
    road.case.becomes("refunding")
    return road


def return_bounced(customer: Customer) -> None:
    opens(customer, bounced(customer.shop, customer.language))


def return_code(customer: Customer) -> None:
    """A wrong one was entered."""
    road = to_an_account(customer.shop, customer.language)
    wrong = f"{(int(code_told(road)) + 1) % 10**6:06d}"
    opens(customer, road)
    form = customer.page.locator("form[action$='/confirm_target']")
    form.locator("input[name=code]").fill(wrong)
    form.locator("button").click()
    customer.page.locator(".trouble[role=alert]").wait_for()


def return_credit_code(customer: Customer) -> None:
    """He has asked for store credit instead, and has his code."""
    road = bounced(customer.shop, customer.language)
    opens(customer, road)
    customer.page.locator("form[action$='/set_target'] button").click()
    customer.page.locator("form[action$='/confirm_target']").wait_for()


def return_second(customer: Customer) -> None:
    opens(customer, awaiting_second(customer.shop, customer.language))


CUSTOMER: tuple[Scene, ...] = (return_bounced, return_code, return_credit_code, return_second)
