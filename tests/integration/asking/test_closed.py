"""A refund that a person closes when only a part of it has moved: what was not sent is still owed, and can be had."""

from typing import Any

import pytest

from orders.roles import Role
from refunds.models import Incident, Refund
from refunds.services.reconcile import Outbound
from tests.integration.asking.conftest import Bought, Shop, line, off, pay, units
from tests.integration.engine.conftest import Engine, accepted, fact
from tests.integration.engine.money import webhook
from workers.ports import Found, Movement, Refused, Reply

ALL: dict[str, Any] = {"lines": "all"}
SECOND = {"amount_minor": 400, "initiator": "merchant"}


def second_declined(movement: Movement) -> Reply:
    return accepted(movement) if movement.payment_reference == "one" else Refused("declined", "by the bank")


def paid_twice(shop: Shop, *lines: dict[str, Any], parts: tuple[int, int] = (600, 400), **facts: Any) -> Bought:
    bought = shop.order(*lines, payments=[], **facts)
    bought.put(payments=[bought.payment(minor, name) for minor, name in zip(parts, ("one", "two"), strict=True)])
    return bought


def turns_out(refund: Refund, place: int, status: str) -> None:
    """The gateway has another word about one of the refund's movements than before."""
    name = f"gw-{refund.number}-{place + 1}"
    webhook(refund, status, name, place=place)
    engine = Engine()
    for out in engine.begin(refund).calls:
        assert isinstance(out, Outbound)
        engine.answer(out, Found((fact(out.movement, status, name),)))


def state_of(refund: Refund) -> tuple[str, int]:
    row = Refund.objects.get(pk=refund.pk)
    return row.state, row.amount_minor


def closed(order: Bought, wish: Any) -> Any:
    made = order.refund(wish)
    number = made["metadata"]["number"]
    Engine().run(Refund.objects.get(number=number), reply=second_declined)
    answer = order.shop.by(Role.FINANCE).post(f"/refunds/{number}/close", {"note": "The card is gone."})
    assert answer.status == 200, answer
    Engine().run(Refund.objects.get(number=number))
    return answer.body


def test_what_was_not_sent_is_refunded_by_amount(shop: Shop) -> None:
    order = paid_twice(shop, line("CUP", 1000))
    first = closed(order, ALL)
    assert (first["status"]["state"], first["spec"]["amount_minor"]) == ("partially_refunded", 600)
    shown = order.get()
    [cup] = shown["lines"]
    assert (shown["refund_state"], cup["refunded_minor"]) == ("partially_refunded", 600)
    assert cup["refundable"]["why_not"]["code"] == "refunded_in_part"
    assert "400 of its price" in cup["refundable"]["why_not"]["detail"]
    assert pay(order.refund(SECOND)) == ["refunded"]
    shown = order.get()
    [cup] = shown["lines"]
    assert (shown["refund_state"], cup["refundable"]["why_not"]["code"]) == ("refunded", "refunded")
    assert [payment["refunded_minor"] for payment in shown["payments"]] == [600, 400]


def test_it_says_on_its_sheet_what_was_not_sent(shop: Shop) -> None:
    order = paid_twice(
        shop, line("CUP", 1000, quantity=2), discounts=[off(1000)], shipping_minor=500, parts=(1000, 500)
    )
    [*_, last] = closed(order, ALL)["sheet"]["entries"]
    assert (last["kind"], last["amount_minor"]) == ("limit", -500)
    left = order.get()
    assert left["payments"][1]["free_minor"] == 500
    assert pay(order.refund(SECOND | {"amount_minor": 500})) == ["refunded"]
    assert order.get()["refund_state"] == "refunded"


def test_what_moved_of_it_is_paid_anew_when_it_comes_back(shop: Shop) -> None:
    order = paid_twice(shop, line("CUP", 1000))
    refund = Refund.objects.get(number=closed(order, ALL)["metadata"]["number"])
    turns_out(refund, 0, "reversed")
    assert order.get()["payments"][0]["reserved_minor"] == 600
    answer = shop.by(Role.FINANCE).post(f"/refunds/{refund.number}/retry", {})
    assert answer.status == 200, answer
    Engine().run(refund)
    assert (state_of(refund), order.get()["refund_state"]) == (("refunded", 600), "partially_refunded")
    assert pay(order.refund(SECOND)) == ["refunded"]
    assert order.get()["refund_state"] == "refunded"


def test_what_turns_out_to_have_been_sent_cannot_be_asked_for_again(shop: Shop) -> None:
    order = paid_twice(shop, line("CUP", 1000))
    refund = Refund.objects.get(number=closed(order, ALL)["metadata"]["number"])
    turns_out(refund, 1, "succeeded")
    assert (state_of(refund), order.get()["refund_state"]) == (("partially_refunded", 600), "refunded")
    assert order.ask(SECOND).status == 409
    assert Incident.objects.get(closed_at=None).kind == "second_refund_at_gateway"


def test_what_came_back_of_it_can_be_closed_as_nothing_at_all(shop: Shop) -> None:
    order = paid_twice(shop, line("CUP", 1000))
    refund = Refund.objects.get(number=closed(order, ALL)["metadata"]["number"])
    turns_out(refund, 0, "reversed")
    shop.by(Role.FINANCE).post(f"/refunds/{refund.number}/close", {"note": "Nothing arrives there."})
    assert (state_of(refund)[0], order.get()["refund_state"]) == ("cancelled", "none")
    assert order.worth(ALL) == 1000


@pytest.mark.parametrize(
    ("wish", "quantity"), [(units(CUP=1), 1), ({"adjustments": [{"sku": "CUP", "amount_minor": 700}]}, 0)]
)
def test_who_sends_the_rest_gets_what_was_not_sent_too(shop: Shop, wish: Any, quantity: int) -> None:
    order = paid_twice(shop, line("CUP", 1000, quantity=2), parts=(300, 1700))
    moved = closed(order, wish | {"initiator": "merchant"})["spec"]["amount_minor"]
    left = order.get()
    assert (sum(payment["free_minor"] for payment in left["payments"]), left["lines"][0]["refunded"]) == (
        2000 - moved,
        quantity,
    )
    assert pay(order.refund(units(CUP=2 - quantity))) == ["refunded"]
    assert order.get()["refund_state"] == "refunded"
