"""The recipient of a gift wants to give it back (row 40): the money goes to whoever paid, another one to him."""

from dataclasses import replace
from typing import Any

import pytest

from orders.errors import Conflict, Invalid
from orders.models import Order
from refunds.models import Refund
from refunds.services.requests import preview_refund, request_refunds
from refunds.states import AskedBy, Goods, RefundState, RefundTo, Remedy
from tests.factories import request, ship, wish
from tests.fingerprint import fingerprint
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, CUSTOMER, SHOP, Courier, bought, fresh, in_force, state, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


NO_LINES: dict[str, Any] = {"lines": ()}


def given() -> Order:
    order = bought(1000, quantity=2)
    ship(order, "delivered")
    return order


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"goods": Goods.KEEP},
        {"goods": Goods.ALREADY_SENT},
        {"refund_to": RefundTo.STORE_CREDIT},
        NO_LINES | {"actor": SHOP, "amount_minor": 500},
        NO_LINES | {"overpaid": True},
        NO_LINES | {"actor": SHOP, "shipping": True},
    ],
)
@pytest.mark.parametrize("actor", [CUSTOMER, SHOP, AGENT], ids=lambda who: who.role)
def test_the_recipient_gets_no_money_whoever_asks_for_him(asked: dict[str, Any], actor: Any) -> None:
    order = given()
    wanted = replace(wish(order, actor=actor, asked_by=AskedBy.RECIPIENT), **asked)
    before = fingerprint()
    [refused] = request_refunds([wanted])
    with pytest.raises(Conflict) as shown:
        preview_refund(wanted)
    assert isinstance(refused, Conflict)
    assert (refused.code, refused.code) == ("payer_only", shown.value.code)
    assert refused.detail.startswith("The refund goes to whoever paid")
    assert fingerprint() == before


def test_he_is_told_what_he_may_do_instead() -> None:
    wanted = wish(given(), asked_by=AskedBy.RECIPIENT)

    def instead(**asked: Any) -> object:
        [refused] = request_refunds([replace(wanted, **asked)])
        assert isinstance(refused, Conflict)
        return refused.extra["alternatives"]

    another, payer = {"remedy": "replacement"}, {"asked_by": "payer"}
    assert instead(actor=CUSTOMER) == [payer]
    assert instead(actor=AGENT) == instead(actor=SHOP) == [payer, another]
    assert instead(actor=SHOP, **NO_LINES, amount_minor=500) == [payer]
    in_force(replacements=True)
    assert instead(actor=CUSTOMER) == [payer, another]


def test_another_one_is_his_and_the_same_road_leads_there(engine: Engine) -> None:
    order, courier = given(), Courier()
    fetched_at = {"name": "Bea", "street": "Am Markt 2", "city": "Bonn", "country": "DE"}
    [refund] = request(
        order, actor=AGENT, asked_by=AskedBy.RECIPIENT, remedy=Remedy.REPLACEMENT, pickup_address=fetched_at
    ).refunds
    work(engine, courier, refund)
    assert state(refund) == RefundState.IN_REVIEW
    assert (fresh(refund).remedy, fresh(refund).pickup_address) == (Remedy.REPLACEMENT, fetched_at)


def test_what_was_never_sent_is_the_payers_whatever_is_wanted_for_it() -> None:
    order = bought(1000, quantity=2)
    wanted = wish(order, actor=AGENT, asked_by=AskedBy.RECIPIENT, remedy=Remedy.REPLACEMENT)
    [refused] = request_refunds([wanted])
    with pytest.raises(Conflict) as shown:
        preview_refund(wanted)
    assert isinstance(refused, Conflict)
    assert refused.code == shown.value.code == "payer_only"
    assert refused.extra["alternatives"] == [{"asked_by": "payer"}]
    assert not Refund.objects.exists()


def test_the_payer_asks_as_ever() -> None:
    [refund] = request(given(), actor=CUSTOMER, asked_by=AskedBy.PAYER).refunds
    assert refund.state == RefundState.REQUESTED


def test_a_preview_refuses_another_one_where_the_request_does() -> None:
    with pytest.raises(Invalid) as refused:
        preview_refund(replace(wish(given(), remedy=Remedy.REPLACEMENT), **NO_LINES, shipping=True))
    assert [error.code for error in refused.value.errors] == ["nothing_to_replace"]
