"""What the button reads: from any origin, without cookies, nothing personal."""

from typing import Any

import pytest

from tests.factories import ship
from tests.integration.engine.conftest import Engine
from tests.integration.pages.conftest import Customer


def state(customer: Customer, query: str = "") -> Any:
    answer = customer.get(f"/state.json{query}", origin="https://shop.test")
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer.headers
    assert not answer.cookies
    return answer.json()


def test_before_a_refund_the_button_asks_for_one(customer: Customer) -> None:
    told = state(customer)
    assert (told["state"], told["text"], told["action"], told["poll_seconds"]) == ("none", "", "Refund", 0)
    assert told["order"] == customer.order.number and told["url"].endswith(f"/r/{customer.token}")


def test_a_running_refund_is_told_and_looked_at_again(customer: Customer) -> None:
    customer.confirm(A=3)
    told = state(customer, "?lang=zh-CN")
    assert (told["state"], told["text"], told["tone"]) == ("refund_requested", "我们已收到您的申请", "moving")
    assert told["action"] == "查看退款" and told["poll_seconds"] == 2
    [request] = told["requests"]
    assert request["amount"] == "€30.00"
    Engine().run(customer.refund())
    told = state(customer)
    assert (told["text"], told["poll_seconds"]) == ("Your refund has been sent", 0)


def test_nothing_in_it_is_personal(customer: Customer) -> None:
    ship(customer.order)
    customer.confirm(A=1, note="my secret")
    text = str(state(customer))
    for secret in (customer.order.customer_email, customer.order.customer_phone, "my secret", "Hauptstr"):
        assert secret not in text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_it_is_only_read(customer: Customer, method: str) -> None:
    answer = customer.browser.generic(method, f"/r/{customer.token}/state.json")
    assert answer.status_code == 405
    assert "Access-Control-Allow-Methods" not in answer.headers


def test_a_link_that_ran_out_is_a_problem_the_script_can_read(db: None, customer: Customer) -> None:
    customer.token = "forged"
    answer = customer.get("/state.json")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_nothing_left_and_nothing_asked_says_so(customer: Customer) -> None:
    customer.order.lines.update(quantity=0)
    assert state(customer)["text"] == "Nothing can be refunded"
