"""From the order's page to a request, as a browser without script does it."""

import pytest

from orders.models import Order, PaymentShare
from refunds.models import GatewayRefund, Refund
from tests.factories import request, ship
from tests.integration.engine.returns import in_force
from tests.integration.pages.conftest import HOME, Customer, MakeCustomer, hidden, text_of


def test_the_page_says_what_can_be_refunded_and_where_it_is(customer: Customer) -> None:
    page = text_of(customer.get())
    assert "Order O-" in page and "€30.00 in total" in page
    assert "3 × Thing A 3 not sent yet: refunded at once Can be refunded: €30.00" in page


def test_two_steps_make_a_request_of_the_customer(customer: Customer) -> None:
    preview = customer.choose(A=2, reason="changed_mind", note="The colour.\r\nSorry.")
    assert preview.status_code == 200
    assert "€20.00" in text_of(preview) and "the money goes back at once" in text_of(preview)
    assert "To your original payment method (payment pay-" in text_of(preview)
    assert not Refund.objects.exists()
    made = customer.post("/refund/confirm", **hidden(preview, "/refund/confirm"))
    refund = customer.refund()
    assert (made.status_code, made.headers["Location"]) == (303, f"/r/{customer.token}/requests/RF-R{refund.pk}")
    assert (refund.requested_by, refund.requested_role) == (f"customer:{customer.order.pk}", "customer")
    assert (refund.amount_minor, refund.reason_code, refund.note) == (2000, "changed_mind", "The colour.\nSorry.")
    page = text_of(customer.browser.get(made.headers["Location"]))
    assert "We have your request €20.00" in page and "I have changed my mind" in page


def test_the_same_form_twice_is_one_request(customer: Customer) -> None:
    form = hidden(customer.choose(A=1), "/refund/confirm")
    first, second = (customer.post("/refund/confirm", **form) for _ in range(2))
    assert (first.status_code, first.headers["Location"]) == (second.status_code, second.headers["Location"])
    assert Refund.objects.count() == 1
    again = customer.confirm(A=1)
    assert again.headers["Location"] != first.headers["Location"]
    assert Refund.objects.count() == 2


def test_a_used_token_with_another_content_makes_nothing(customer: Customer) -> None:
    form = hidden(customer.choose(A=1), "/refund/confirm")
    customer.post("/refund/confirm", **form)
    changed = customer.post("/refund/confirm", **form | {"note": "something else"})
    assert changed.status_code == 422 and "This form was used before" in text_of(changed)
    assert Refund.objects.count() == 1


@pytest.mark.parametrize("token", ["", "a b", "x" * 65, "ключ"])
def test_a_form_without_a_token_of_ours_makes_nothing(customer: Customer, token: str) -> None:
    form = hidden(customer.choose(A=1), "/refund/confirm") | {"form_token": token}
    refused = customer.post("/refund/confirm", **form)
    assert refused.status_code == 422 and "This form did not arrive whole." in text_of(refused)
    assert not Refund.objects.exists()


@pytest.mark.parametrize("left", [0, 1000], ids=["all of it", "something else is left"])
def test_units_that_another_tab_asked_for_meanwhile_are_said_to_be_gone(customer_of: MakeCustomer, left: int) -> None:
    customer = customer_of(1000, *([left] if left else []))
    customer.choose(A=1)
    form = hidden(customer.choose(A=1), "/refund/confirm")
    customer.confirm(A=1)
    for page in (customer.choose(A=1), customer.post("/refund/confirm", **form)):
        assert page.status_code == 422
        assert "Thing A: None of it is left: it is in another refund, or has been refunded." in text_of(page)
    assert Refund.objects.count() == 1


def test_what_changed_since_the_preview_is_shown_anew(customer: Customer) -> None:
    form = hidden(customer.choose(A=3), "/refund/confirm")
    ship(customer.order)
    page = customer.post("/refund/confirm", **form)
    assert page.status_code == 409 and "Something has changed since you looked" in text_of(page)
    assert "a courier fetches it" in text_of(page)
    assert not Refund.objects.exists()
    made = customer.post("/refund/confirm", **hidden(page, "/refund/confirm"))
    assert made.status_code == 303 and customer.refund().route == "pickup"


def test_units_in_two_places_are_one_request_in_two_parts(customer_of: MakeCustomer) -> None:
    customer = customer_of(1000, 500)
    first, _second = customer.order.lines.order_by("position")
    ship_only(customer.order, first.pk)
    preview = text_of(customer.choose(A=1, B=1))
    assert "Part 1 of 2" in preview and "Part 2 of 2" in preview
    made = customer.confirm(A=1, B=1)
    page = text_of(customer.browser.get(made.headers["Location"]))
    assert "Part 1 of 2" in page and "Part 2 of 2" in page
    assert sorted(Refund.objects.values_list("route", flat=True)) == ["instant", "pickup"]


def ship_only(order: Order, line: int) -> None:
    ship(order)
    parcel = order.shipments.get()
    for other in order.lines.exclude(pk=line):
        parcel.lines.filter(order_line=other).delete()
        order.lines.filter(pk=other.pk).update(shipped=0, delivered=0)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"A": 0}, "Choose at least one item."),
        ({"A": ""}, "Choose at least one item."),
        ({"A": 4}, "Only 3 can still be refunded."),
        ({"A": -1}, "greater than or equal to 0"),
        ({"A": "many"}, "Enter a whole number."),
        ({"A": "9" * 400}, "Only 3 can still be refunded."),
        ({"A": 1, "reason": "revenge"}, "Select a valid choice."),
        ({"A": 1, "note": "a\x07b"}, "This holds a character that no text has."),
        ({"A": 1, "note": "x" * 2001}, "at most 2000 characters"),
        ({"A": 1, "note": "a\x00b"}, "Null characters are not allowed."),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_what_was_typed_is_kept(
    customer: Customer, fields: dict[str, str], said: str
) -> None:
    page = customer.choose(**{"note": "Dear shop", **fields})
    assert page.status_code == 422
    assert said in text_of(page)
    assert str(fields.get("note", "Dear shop"))[:5].split("\x00")[0] in page.content.decode()


def test_going_back_to_change_something_keeps_what_was_filled_in(customer: Customer) -> None:
    form = hidden(customer.choose(A=2, note="Dear shop", reason="damaged"), "/refund")
    page = customer.post("/refund", **form).content.decode()
    assert 'value="2"' in page and "Dear shop" in page and '<option value="damaged" selected>' in page
    assert "Step 1 of 2" in page


def test_units_that_went_into_another_refund_are_refused_at_their_field(customer: Customer) -> None:
    form = hidden(customer.choose(A=3), "/refund/confirm")
    request(customer.order, ("A", 2))
    page = customer.post("/refund/confirm", **form)
    assert page.status_code == 422 and "Only 1 can still be refunded." in text_of(page)
    assert Refund.objects.count() == 1


def test_what_is_in_a_refund_already_says_so_with_the_way_there(customer: Customer) -> None:
    made = customer.confirm(A=3)
    page = customer.get()
    assert "All of it is in a refund already." in text_of(page)
    assert made.headers["Location"] in page.content.decode()
    assert 'href="/r/' + customer.token + '/refund"' not in page.content.decode()
    assert "Nothing of this order can be refunded" in text_of(customer.get("/refund"))


@pytest.mark.parametrize("goods", ["return", "keep", "not_received", "already_sent"])
def test_what_becomes_of_goods_that_were_sent_is_the_customers_to_say(customer: Customer, goods: str) -> None:
    ship(customer.order)
    assert customer.confirm(A=1, goods=goods).status_code == 303
    assert customer.refund().goods == goods


def test_goods_that_were_not_sent_raise_no_such_question(customer: Customer) -> None:
    assert "goods" not in customer.get("/refund").context["form"].fields
    customer.confirm(A=1, goods="keep")
    assert (customer.refund().goods, customer.refund().route) == ("return", "instant")


def test_a_courier_may_come_elsewhere(customer: Customer) -> None:
    ship(customer.order)
    page = customer.get("/refund").content.decode()
    assert 'value="Hauptstr. 1"' in page and '<option value="DE" selected>Germany</option>' in page
    elsewhere = HOME | {"street": "Nebenstr. 2"}
    fetched_at = "Fetched at: Ada, Nebenstr. 2, 10115 Berlin, Germany"
    assert fetched_at in text_of(customer.choose(A=1, **elsewhere))
    customer.confirm(A=1, **elsewhere)
    assert customer.refund().pickup_address == elsewhere


def test_the_address_it_was_delivered_to_is_no_other(customer: Customer) -> None:
    ship(customer.order)
    customer.confirm(A=1, **HOME)
    assert customer.refund().pickup_address is None


@pytest.fixture
def unpaid(customer_of: MakeCustomer) -> Customer:
    """Two things, and no payment that was ever stated."""
    customer = customer_of(1000, quantity=2)
    PaymentShare.objects.filter(order=customer.order).delete()
    return customer


def test_an_order_nobody_paid_is_cancelled_and_not_refunded(unpaid: Customer) -> None:
    page = unpaid.get()
    assert "It has not been charged yet, so there is nothing to pay back." in text_of(page)
    assert "so there is nothing to refund. You can cancel what has not been sent." in text_of(page)
    assert unpaid.choose(A=1).status_code == 422
    form = hidden(page, "/cancel")
    first, second = (unpaid.post("/cancel", **form) for _ in range(2))
    refund = unpaid.refund()
    assert first.headers["Location"] == second.headers["Location"] == f"/r/{unpaid.token}/requests/RF-R{refund.pk}"
    assert (first.status_code, refund.amount_minor, refund.requested_role) == (303, 0, "customer")
    assert "/cancel" not in unpaid.get().content.decode()


def test_an_order_paid_or_sent_meanwhile_is_not_cancelled_unseen(unpaid: Customer, customer: Customer) -> None:
    form = hidden(unpaid.get(), "/cancel")
    ship(unpaid.order)
    for changed in (unpaid, customer):
        page = changed.post("/cancel", **form)
        assert page.status_code == 409 and "Something has changed since you looked." in text_of(page)
    assert not Refund.objects.exists()
    sent = text_of(unpaid.get())
    assert "so there is nothing to refund. If you no longer want it, please write to us." in sent


def test_what_waits_for_the_shop_to_keep_the_goods_is_not_promised_at_once(customer: Customer) -> None:
    in_force(stop_shipment="confirm")
    assert "refunded as soon as the shop confirms that it is not sent" in text_of(customer.get())
    preview = text_of(customer.choose(A=1))
    assert "as soon as the shop confirms that it will not be." in preview and "at once" not in preview


def test_the_customer_may_have_it_as_store_credit(customer: Customer, settings) -> None:
    assert "Where should the money go?" not in text_of(customer.get("/refund"))
    settings.GATEWAY_ACCOUNTS = {"store-credit": {"adapter": "store_credit"}}
    assert "As store credit, to be spent in this shop" in text_of(customer.get("/refund"))
    preview = customer.choose(A=1, to="store_credit")
    assert "As store credit: €10.00" in text_of(preview)
    customer.post("/refund/confirm", **hidden(preview, "/refund/confirm"))
    assert GatewayRefund.objects.get(refund=customer.refund()).target == "store-credit"


def test_what_the_gateway_would_refuse_is_said_with_the_way_out(customer: Customer, settings) -> None:
    limited = {"adapter": "http", "limits": {"partial": False}}
    settings.GATEWAY_ACCOUNTS = {"sandbox": limited, "store-credit": {"adapter": "store_credit"}}
    refused = customer.choose(A=1)
    assert refused.status_code == 409
    assert "does not take this back. You can have it as store credit, or write to us." in text_of(refused)


def test_the_customer_may_have_another_one_where_the_policy_lets_him(customer: Customer) -> None:
    ship(customer.order)
    assert "What would you like?" not in text_of(customer.get("/refund"))
    in_force(replacements=True)
    assert "Another one of the same; my money, if you cannot send me one" in text_of(customer.get("/refund"))
    preview = customer.choose(A=1, remedy="replacement")
    assert "If the shop cannot send you one, you get the money." in text_of(preview)
    made = customer.post("/refund/confirm", **hidden(preview, "/refund/confirm"))
    assert (customer.refund().remedy, made.status_code) == ("replacement", 303)
    page = text_of(customer.get(f"/requests/RF-R{customer.refund().pk}"))
    assert "another one of the same, instead of the money" in page and "To your original payment" not in page


def test_a_policy_that_stops_replacing_meanwhile_has_it_shown_anew(customer: Customer) -> None:
    ship(customer.order)
    in_force(replacements=True)
    form = hidden(customer.choose(A=1, remedy="replacement"), "/refund/confirm")
    in_force(replacements=False)
    shown_anew = customer.post("/refund/confirm", **form)
    assert "another one" not in text_of(shown_anew) and "Where the money goes" in text_of(shown_anew)
    assert not Refund.objects.exists()
