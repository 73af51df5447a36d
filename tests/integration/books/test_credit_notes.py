"""What a credit note says of a refund, the number that comes back, and money that waits for it."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from orders.models import Order, OrderLine
from orders.roles import Role
from refunds.models import CreditNote, GatewayRefund, Refund, RefundEvent
from refunds.records import counted
from tests.factories import make_order, request
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import fresh, in_force
from tests.integration.refunds_api.clients import Answer, Caller

pytestmark = pytest.mark.django_db
ISSUED = {"number": "CN-7", "issued_at": "2026-01-02T03:04:05Z"}


@pytest.fixture
def engine() -> Engine:
    return Engine()


def taxed_order() -> Order:
    """119.00 with 19 %, 107.00 with 7 %, prices with tax."""
    order = make_order(
        11_900,
        10_700,
        shipping_address={"country": "DE"},
        invoice_number="INV-1",
        invoice_issued_at=datetime(2026, 1, 1, tzinfo=UTC),
        legal_entity="Shop GmbH",
    )
    OrderLine.objects.filter(order=order, sku="A").update(tax_minor=1_900, tax_rate="19")
    OrderLine.objects.filter(order=order, sku="B").update(tax_minor=700, tax_rate="7")
    return order


def shop_of(order: Order, role: Role = Role.SHOP) -> Caller:
    return Caller(order.channel, role=role)


def put(caller: Caller, refund: Refund, body: Any = None) -> Answer:
    return caller.call("PUT", f"/refunds/{refund.number}/credit-note", json.dumps(body or ISSUED).encode(), {})


def test_it_names_the_invoice_and_net_and_tax_by_rate(engine: Engine) -> None:
    order = taxed_order()
    refund = request(order).refunds[0]
    engine.run(refund)
    told = shop_of(order).get(f"/refunds/{refund.number}/credit-note").body
    assert told == {
        "refund": refund.number,
        "order": order.number,
        "channel": order.channel.slug,
        "currency": "EUR",
        "original_invoice": {"number": "INV-1", "issued_at": "2026-01-01T00:00:00Z"},
        "legal_entity": "Shop GmbH",
        "country": "DE",
        "taxes": [
            {"rate": "19", "net_minor": 10_000, "tax_minor": 1_900, "gross_minor": 11_900},
            {"rate": "7", "net_minor": 10_000, "tax_minor": 700, "gross_minor": 10_700},
        ],
        "net_minor": 20_000,
        "tax_minor": 2_600,
        "gross_minor": 22_600,
        "moved_minor": 22_600,
        "credit_note": None,
    }


def test_the_number_is_written_back_once(engine: Engine) -> None:
    order = taxed_order()
    refund = request(order, ("A", 1)).refunds[0]
    engine.run(refund)
    shop = shop_of(order)
    first, again = put(shop, refund), put(shop, refund)
    assert first.status == again.status == 200 and first.body == again.body
    assert first.body["credit_note"]["number"] == "CN-7" and first.body["credit_note"]["amount_minor"] == 11_900
    [event] = RefundEvent.objects.filter(refund=refund, kind="refund.credit_note_issued")
    assert event.data == {"number": "CN-7", "issued_at": "2026-01-02T03:04:05Z", "amount_minor": 11_900}
    other = put(shop, refund, ISSUED | {"number": "CN-8"})
    assert (other.status, other.code) == (409, "other_credit_note")
    assert CreditNote.objects.get().number == "CN-7"


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"number": "", "issued_at": "2026-01-02T03:04:05Z"}, 422, "number"),
        ({"number": "CN-1"}, 422, "issued_at"),
        ({"number": "CN-1", "issued_at": "2999-01-02T03:04:05Z"}, 422, "issued_at"),
        ({"number": "x" * 65, "issued_at": "2026-01-02T03:04:05Z"}, 422, "number"),
    ],
)
def test_what_cannot_be_one_is_refused(engine: Engine, body: dict[str, str], status: int, field: str) -> None:
    order = taxed_order()
    refund = request(order).refunds[0]
    engine.run(refund)
    refused = put(shop_of(order), refund, body)
    assert refused.status == status and refused.body["errors"][0]["field"] == field


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.WAREHOUSE, Role.AUDITOR])
def test_others_may_not_write_it(engine: Engine, role: Role) -> None:
    order = taxed_order()
    refund = request(order).refunds[0]
    engine.run(refund)
    assert put(shop_of(order, role), refund).status == 403


def test_there_is_none_for_what_was_not_charged_or_is_not_decided(engine: Engine) -> None:
    order = taxed_order()
    waiting, shop = request(order, ("A", 1)).refunds[0], shop_of(order)
    assert shop.get(f"/refunds/{waiting.number}/credit-note").code == "nothing_to_credit"
    assert put(shop, waiting).code == "nothing_to_credit"
    engine.run(waiting)
    GatewayRefund.objects.filter(refund=waiting).update(kind="void")
    answered = shop.get(f"/refunds/{waiting.number}/credit-note")
    assert (answered.status, answered.code) == (404, "nothing_to_credit")
    assert "The hold is released: nothing was charged" in answered.body["detail"]


def test_money_waits_for_the_number_where_the_policy_says_so(engine: Engine) -> None:
    in_force(hold_for_credit_note=True)
    order = taxed_order()
    refund = request(order).refunds[0]
    assert engine.begin(refund).calls == []
    waits = fresh(refund)
    assert waits.state == "refunding"
    assert [c["status"] for c in waits.conditions if c["type"] == "AwaitingCreditNote"] == ["True"]
    assert put(shop_of(order), refund).status == 200
    engine.run(refund)
    paid = fresh(refund)
    assert paid.state == "refunded" and not [c for c in paid.conditions if c["type"] == "AwaitingCreditNote"]


def test_nothing_waits_by_the_built_in_policy_and_no_statement_asks(engine: Engine) -> None:
    refund = request(taxed_order()).refunds[0]
    with counted() as run:
        assert len(engine.begin(refund).calls) == 1
    assert not [sql for sql in run if "creditnote" in sql]
