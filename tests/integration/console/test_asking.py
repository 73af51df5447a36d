"""Asking for money of an order at the console: who is offered what, what it comes to, one click, one refund."""

import re
from typing import Any

import pytest

from orders.models import Order, OrderLine, PaymentShare
from orders.roles import Role
from refunds.models import Refund
from tests.integration.console.people import Page, Person
from tests.integration.refunds_api import rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def order(db: None) -> Order:
    return rows.a_paid_order(rows.default_channel())


def sent(person: Person, order: Order, kind: str, **said: Any) -> Page:
    return person.post(f"orders/{order.pk}/refund/{kind}/", said)


def confirmed(person: Person, order: Order, shown: Page, kind: str, **said: Any) -> Page:
    """As the confirmation of the page that was shown sends it."""
    hidden = dict(re.findall(r'type="hidden" name="(once|shown)" value="([^"]*)"', shown.html))
    return sent(person, order, kind, **hidden, **said, confirmed="1")


@pytest.mark.parametrize(
    "role, kinds",
    [
        (Role.SUPERVISOR, {"adjust", "shipping", "amount"}),
        (Role.SUPPORT, {"adjust", "shipping"}),
        (Role.FINANCE, {"amount"}),
        (Role.WAREHOUSE, set()),
        (Role.AUDITOR, set()),
    ],
)
def test_an_agent_is_offered_what_his_role_may_ask(order: Order, role: Role, kinds: set[str]) -> None:
    person = Person(role)
    offered = set(
        re.findall(rf'action="/console/orders/{order.pk}/refund/([a-z]+)/"', person.get(f"orders/{order.pk}/").html)
    )
    assert offered == kinds
    for kind in {"adjust", "shipping", "amount"} - kinds:
        assert sent(person, order, kind, amount="1").status == 403


def test_a_price_is_lowered_after_it_was_shown_what_it_comes_to(order: Order) -> None:
    person, field = Person(Role.SUPPORT), f"off-{OrderLine.objects.get().pk}"
    shown = sent(person, order, "adjust", **{field: "1.50", "note": "A scratch."})
    assert shown.status == 200 and "€1.50" in shown and "Price adjustment: Mug" in shown
    assert not Refund.objects.exists()
    answer = confirmed(person, order, shown, "adjust", **{field: "1.50", "note": "A scratch."})
    assert answer.status == 302
    refund = Refund.objects.get()
    assert (refund.amount_minor, refund.initiator, refund.note) == (150, "merchant", "A scratch.")
    assert OrderLine.objects.get().adjusted_minor == 150
    case = person.case(refund)
    assert "Price adjustment: Mug" in case


def test_the_form_says_what_its_amount_is_taken_off(order: Order) -> None:
    line = OrderLine.objects.get()
    assert f"Off the price of {line.name} · {line.sku}, in EUR" in Person(Role.SUPPORT).get(f"orders/{order.pk}/")


def test_a_second_click_makes_no_second_refund(order: Order) -> None:
    person = Person(Role.SUPERVISOR)
    shown = sent(person, order, "amount", amount="2")
    for _ in range(2):
        assert confirmed(person, order, shown, "amount", amount="2").status == 302
    assert PaymentShare.objects.get().reserved_minor == 200


def test_what_was_not_shown_is_not_confirmed(order: Order) -> None:
    person = Person(Role.SUPERVISOR)
    shown = sent(person, order, "amount", amount="2")
    answer = confirmed(person, order, shown, "amount", amount="3")
    assert answer.status == 409 and "something else than was shown" in answer
    assert not Refund.objects.exists()


def test_more_than_is_left_says_how_much_is(order: Order) -> None:
    answer = sent(Person(Role.SUPERVISOR), order, "amount", amount="10.01")
    assert answer.status == 409 and "more than is left. Left: €10.00." in answer


@pytest.mark.parametrize("typed", ["0", "-1", "1e3", "1.001", "NaN", "1,00,0", "", "٣"])
def test_what_is_no_amount_is_shown_at_its_field(order: Order, typed: str) -> None:
    answer = sent(Person(Role.SUPERVISOR), order, "amount", amount=typed)
    assert answer.status == 422 and 'id="amount-amount_error"' in answer.html
    assert not Refund.objects.exists()


def test_an_overpayment_is_offered_where_there_is_one(order: Order) -> None:
    person = Person(Role.SUPPORT)
    Order.objects.filter(pk=order.pk).update(total_minor=1000)
    PaymentShare.objects.update(captured_minor=1700)
    page = person.get(f"orders/{order.pk}/")
    assert "Paid too much €7.00" in page and f"orders/{order.pk}/refund/overpaid/" in page.html
    shown = sent(person, order, "overpaid")
    assert confirmed(person, order, shown, "overpaid").status == 302
    assert Refund.objects.get().amount_minor == 700


def test_nothing_typed_is_said_so(order: Order) -> None:
    answer = sent(Person(Role.SUPPORT), order, "adjust")
    assert answer.status == 422 and "at least one item" in answer


def test_another_channels_order_is_not_there(order: Order) -> None:
    person = Person(Role.SUPERVISOR, rows.a_channel())
    assert sent(person, order, "amount", amount="1").status == 404


def test_an_amount_that_reads_in_two_ways_is_asked_for_again(order: Order) -> None:
    Order.objects.update(currency="KWD")
    person = Person(Role.SUPERVISOR)
    answer = sent(person, order, "amount", amount="1,000")
    assert answer.status == 422
    assert "It can be read in two ways. Write KWD 1.000, or KWD 1,000.000." in answer
    assert sent(person, order, "amount", amount="KWD\N{NO-BREAK SPACE}1.000").status == 200


def test_money_that_the_customers_bank_withholds_stands_on_the_orders_page(order: Order) -> None:
    PaymentShare.objects.update(disputed_minor=700)
    assert "€7.00" in Person(Role.SUPPORT).get(f"orders/{order.pk}/")
