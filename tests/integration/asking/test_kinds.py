"""What can be asked for without units: off a price, the shipping, a free amount, what was paid too much."""

from typing import Any

import pytest

from orders.models import OrderLine, PaymentShare
from orders.roles import Role
from refunds.models import GatewayRefund, Refund
from tests.fingerprint import fingerprint
from tests.integration.asking.conftest import Bought, Shop, entries, line, pay, units
from tests.integration.engine.conftest import Engine
from workers.ports import Capabilities

pytestmark = pytest.mark.django_db
SUPERVISOR = Role.SUPERVISOR


@pytest.fixture
def order(shop: Shop) -> Bought:
    shop.by(SUPERVISOR)
    return shop.order(line("CUP", 2000, quantity=2), line("TEA", 500), shipping_minor=500)


def off_the_cup(minor: int) -> dict[str, Any]:
    return {"adjustments": [{"sku": "CUP", "amount_minor": minor}]}


def test_a_price_is_lowered_without_a_unit_coming_back(order: Bought) -> None:
    order.ship()
    refund = order.refund(off_the_cup(300) | {"initiator": "merchant", "note": "A scratch."})
    assert entries(refund) == [("adjustment", 300)]
    assert refund["status"]["route"] == "refund_only" and refund["spec"]["goods"] == "keep"
    assert refund["spec"]["lines"] == []
    assert refund["spec"]["adjustments"] == [{"id": "CUP", "sku": "CUP", "amount_minor": 300, "tax_minor": 0}]
    assert pay(refund) == ["refunded"]
    cup = order.get()["lines"][0]
    assert (cup["adjusted_minor"], cup["refunded"], cup["held"], cup["refunded_minor"]) == (300, 0, 0, 0)
    assert cup["refundable"] | {"quantity": 2, "amount_minor": 3700} == cup["refundable"]
    assert order.worth(units(CUP=1)) == 1850


def test_a_lowered_price_is_raised_again_when_its_refund_is_rejected(order: Bought) -> None:
    refund = order.refund(off_the_cup(300))
    pay(refund)
    assert order.get()["lines"][0]["adjusted_minor"] == 300
    order.shop.by(SUPERVISOR).post(f"/refunds/{refund['metadata']['number']}/reject", {"reason": "No."})
    assert order.get()["lines"][0]["adjusted_minor"] == 0
    assert PaymentShare.objects.get().free_minor == 5000


def test_an_approved_adjustment_is_paid_whole(order: Bought) -> None:
    refund = order.refund(off_the_cup(300))
    assert pay(refund) == ["in_review"]
    approved = order.shop.by(SUPERVISOR).post(f"/refunds/{refund['metadata']['number']}/approve", {})
    assert approved.status == 200, approved
    assert pay(refund) == ["refunded"]
    assert GatewayRefund.objects.get().amount_minor == 300


def test_shipping_comes_back_alone_and_once(order: Bought) -> None:
    refund = order.refund({"shipping": True})
    assert entries(refund) == [("shipping", 500)]
    again = order.ask({"shipping": True})
    assert (again.status, again.code) == (409, "shipping_not_left")
    assert order.worth({"lines": "all"}) == 4500


def test_shipping_is_asked_for_with_units_or_left_out(order: Bought) -> None:
    assert order.worth(units(TEA=1) | {"shipping": True}) == 1000
    assert order.worth({"lines": "all"}) == 4000


def test_shipping_left_out_of_all_units_can_be_asked_for_later(order: Bought) -> None:
    assert order.worth({"lines": "all", "shipping": False}) == 4500
    assert order.worth({"shipping": True}) == 500


def test_a_free_amount_is_spread_and_lowers_what_is_left(order: Bought) -> None:
    refund = order.refund({"amount_minor": 900}, role=SUPERVISOR)
    assert entries(refund) == [("amount", 900)]
    assert {one["id"]: one["amount_minor"] for one in refund["spec"]["adjustments"]} == {"CUP": 800, "TEA": 100}
    assert order.worth({"lines": "all"}) == 4100


def test_more_than_is_left_is_refused_and_says_what_is(order: Bought) -> None:
    assert order.ask({"amount_minor": 4999}, role=SUPERVISOR).status == 202
    answer = order.ask({"amount_minor": 5000}, role=SUPERVISOR)
    assert (answer.status, answer.code, answer.body["left_minor"]) == (409, "more_than_left", 1)
    assert [error["field"] for error in answer.body["errors"]] == ["amount_minor"]
    assert "1 is left" in answer.body["detail"]


def test_more_than_is_left_of_a_line_is_refused_at_that_line(order: Bought) -> None:
    order.refund(units(CUP=1))
    body = {"adjustments": [{"sku": "TEA", "amount_minor": 100}, {"sku": "CUP", "amount_minor": 2001}]}
    answer = order.ask(body)
    assert (answer.status, answer.code, answer.body["left_minor"]) == (409, "more_than_left", 2000)
    assert [error["field"] for error in answer.body["errors"]] == ["adjustments[1].amount_minor"]


def test_the_same_line_twice_adds_up(order: Bought) -> None:
    body = {"adjustments": [{"sku": "TEA", "amount_minor": 100}, {"id": "TEA", "amount_minor": 50}]}
    assert order.worth(body) == 150


def test_an_overpayment_comes_back_without_lines(shop: Shop) -> None:
    order = shop.order(line("CUP", 2000), paid=5000)
    assert order.get()["overpaid_minor"] == 3000
    refund = order.refund({"overpaid": True})
    assert entries(refund) == [("overpaid", 3000)]
    assert order.get()["overpaid_minor"] == 0
    again = order.ask({"overpaid": True})
    assert (again.status, again.code) == (409, "not_overpaid")
    assert order.worth({"lines": "all"}) == 2000


def test_a_hold_that_a_refund_has_ended_is_not_held_again_because_it_is_stated_again(shop: Shop) -> None:
    order = shop.order(line("CUP", 1000), payments=[])
    order.put(payments=[order.payment(0, authorized_minor=1000)])
    refund = order.refund({"lines": "all"})
    Engine(Capabilities(voids=True)).run(Refund.objects.get(number=refund["metadata"]["number"]))
    order.put(labels={"gift": "yes"}, lines=[line("CUP", 1000), line("TEA", 500)])
    [hold] = order.get()["payments"]
    assert (hold["authorized_minor"], hold["free_minor"]) == (1000, 0)
    assert (order.ask(units(TEA=1)).status, order.get()["lines"][1]["refundable"]["quantity"]) == (409, 0)
    order.put(payments=[order.payment(0, authorized_minor=1500)])
    assert order.get()["payments"][0]["free_minor"] == 500


def test_what_is_captured_after_its_hold_was_ended_is_paid_too_much(shop: Shop) -> None:
    order = shop.order(line("CUP", 1000), payments=[])
    order.put(payments=[order.payment(0, authorized_minor=1000)])
    refund = order.refund({"lines": "all"})
    Engine(Capabilities(voids=True)).run(Refund.objects.get(number=refund["metadata"]["number"]))
    assert (order.get()["refund_state"], order.get()["overpaid_minor"]) == ("refunded", 0)
    order.put(payments=[order.payment(0, authorized_minor=0), order.payment(1000, "late")])
    assert order.get()["overpaid_minor"] == 1000
    assert pay(order.refund({"overpaid": True, "initiator": "merchant"})) == ["refunded"]
    assert [payment["free_minor"] for payment in order.get()["payments"]] == [0, 0]


def test_the_shops_own_idea_needs_no_review_and_says_so(order: Bought) -> None:
    refund = order.refund(units(TEA=1) | {"initiator": "merchant"})
    assert refund["spec"]["initiator"] == "merchant"
    assert pay(refund) == ["refunded"]


def test_an_agents_idea_is_looked_at_by_another(order: Bought) -> None:
    refund = order.refund(off_the_cup(100) | {"initiator": "merchant"}, role=Role.SUPPORT)
    assert pay(refund) == ["in_review"]
    own = order.shop.by(Role.SUPPORT).post(f"/refunds/{refund['metadata']['number']}/approve", {})
    assert (own.status, own.code) == (403, "own_request")


def test_a_preview_of_all_says_which_lines_have_nothing_left_and_why(order: Bought) -> None:
    order.refund(units(TEA=1))
    preview = order.preview({"lines": "all"}).body
    assert preview["left_out"] == [{"id": "TEA", "why_not": "in_refund", "quantity": 1}]
    assert order.preview(units(CUP=1)).body["left_out"] == []


def test_a_refund_of_nothing_ends_without_a_gateway(shop: Shop) -> None:
    order = shop.order(line("GIFT", 0), line("CUP", 100))
    refund = order.refund(units(GIFT=1))
    assert refund["spec"]["amount_minor"] == 0
    assert pay(refund) == ["refunded"]
    assert not GatewayRefund.objects.exists()
    assert OrderLine.objects.get(sku="GIFT").refunded == 1


MAY_NOT = {
    "a free amount": ({"amount_minor": 1}, {Role.SUPPORT, Role.WAREHOUSE, Role.AUDITOR}),
    "an adjustment": (off_the_cup(1), {Role.FINANCE, Role.WAREHOUSE, Role.AUDITOR}),
    "shipping alone": ({"shipping": True}, {Role.FINANCE, Role.WAREHOUSE, Role.AUDITOR}),
    "an overpayment": ({"overpaid": True}, {Role.FINANCE, Role.WAREHOUSE, Role.AUDITOR}),
}


@pytest.mark.parametrize("name", MAY_NOT)
def test_each_kind_has_its_own_permission(order: Bought, name: str) -> None:
    body, roles = MAY_NOT[name]
    for role in roles:
        answer = order.ask(body, role=role)
        assert (answer.status, answer.code) == (403, "role_forbidden"), role
    assert not Refund.objects.exists()


NO_AMOUNT: list[Any] = [0, -1, "", "12", 10.001, 1000.0, True, None, [], {}, 10**16, 10**40]


@pytest.mark.parametrize("value", NO_AMOUNT, ids=repr)
def test_what_is_no_amount_is_refused_at_its_field_and_nothing_moves(order: Bought, value: Any) -> None:
    before = fingerprint()
    for body, field in (
        ({"amount_minor": value}, "amount_minor"),
        ({"adjustments": [{"sku": "CUP", "amount_minor": value}]}, "adjustments[0].amount_minor"),
    ):
        for answer in (order.ask(body, role=SUPERVISOR), order.preview(body, role=SUPERVISOR)):
            assert answer.status == 422 and answer.code, answer
            assert [error["field"] for error in answer.body["errors"]] == [field]
    assert fingerprint() == before


@pytest.mark.parametrize("raw", [b"NaN", b"Infinity", b"-Infinity", b"1e3", b"1E400", b"0x10", b"01"])
def test_what_is_no_number_moves_nothing(order: Bought, raw: bytes) -> None:
    before = fingerprint()
    answer = order.ask(b'{"amount_minor": ' + raw + b"}", role=SUPERVISOR)
    assert answer.status in (400, 422) and answer.code, answer
    assert fingerprint() == before


WRONG: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing": ({}, ["lines"]),
    "shipping that is not wanted": ({"shipping": False}, ["lines"]),
    "an overpayment that is not wanted": ({"overpaid": False}, ["lines"]),
    "lines and an amount": (units(CUP=1) | {"amount_minor": 1}, ["amount_minor"]),
    "lines and adjustments": (units(CUP=1) | off_the_cup(1), ["adjustments"]),
    "an amount and an overpayment": ({"amount_minor": 1, "overpaid": True}, ["overpaid"]),
    "an amount and shipping": ({"amount_minor": 1, "shipping": True}, ["shipping"]),
    "all of them": (
        units(CUP=1) | off_the_cup(1) | {"amount_minor": 1, "overpaid": True},
        ["adjustments", "amount_minor", "overpaid"],
    ),
    "goods of an amount": ({"amount_minor": 1, "goods": "return"}, ["goods"]),
    "another currency": ({"amount_minor": 1, "currency": "USD"}, ["currency"]),
    "another currency of lines": (units(CUP=1) | {"currency": "USD"}, ["currency"]),
    "no line": ({"adjustments": [{"amount_minor": 1}]}, ["adjustments[0]"]),
    "an unknown line": ({"adjustments": [{"sku": "POT", "amount_minor": 1}]}, ["adjustments[0]"]),
    "an unknown initiator": (units(CUP=1) | {"initiator": "me"}, ["initiator"]),
    "words for true": ({"overpaid": "true"}, ["overpaid"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_asked_together_is_named(order: Bought, name: str) -> None:
    body, fields = WRONG[name]
    before = fingerprint()
    for answer in (order.ask(body, role=SUPERVISOR), order.preview(body, role=SUPERVISOR)):
        assert answer.status == 422 and answer.code, answer
        assert sorted(error["field"] for error in answer.body["errors"]) == sorted(fields), answer
    assert fingerprint() == before


def test_the_same_again_by_its_key_is_the_same_refund(order: Bought) -> None:
    first = order.ask({"amount_minor": 392}, role=SUPERVISOR, Idempotency_Key="k1")
    second = order.ask({"amount_minor": 392}, role=SUPERVISOR, Idempotency_Key="k1")
    assert (first.status, second.status) == (202, 202) and first.body == second.body
    other = order.ask({"amount_minor": 393}, role=SUPERVISOR, Idempotency_Key="k1")
    assert (other.status, other.code) == (422, "idempotency_key_reused")
    assert Refund.objects.count() == 1
