"""PUT of an order: idempotent, whole, and never below what has happened to it."""

import copy
from typing import Any

import pytest

from orders.models import Channel, Order, OrderLine, Payment, PaymentShare
from orders.roles import Role
from refunds.models import GatewayRefund, Incident, LedgerEntry, Refund
from tests.integration.engine.conftest import Engine
from tests.integration.orders.conftest import ORDER, Api, MakeApi


def order(**changes: Any) -> dict[str, Any]:
    return copy.deepcopy(ORDER) | changes


def test_a_new_order_is_stored_whole_and_its_capture_is_in_the_ledger(shop: Api) -> None:
    response = shop("PUT", "orders/1001", order(version=1, total_minor=3000))
    assert response.status_code == 201, response.content
    assert response.json() == {
        "number": "1001",
        "channel": "default",
        "state": "paid",
        "refund_state": "none",
        "currency": "EUR",
        "total_minor": 3000,
        "version": 1,
        "resource_version": 1,
    }
    entry = LedgerEntry.objects.get()
    share = PaymentShare.objects.select_related("payment").get()
    assert (entry.kind, entry.amount_minor, entry.share_id) == ("capture", 3000, share.pk)
    assert (share.captured_minor, share.payment.total_minor, share.payment.allocated_minor) == (3000, 3000, 3000)


def test_the_same_again_changes_nothing(shop: Api) -> None:
    shop("PUT", "orders/1001", order(version=1))
    before = Order.objects.get()
    response = shop("PUT", "orders/1001", order(version=1))
    assert (response.status_code, response.json()["resource_version"]) == (200, 1)
    assert Order.objects.get().updated_at == before.updated_at
    assert LedgerEntry.objects.count() == 1


def test_a_phone_or_address_that_is_stated_anew_is_known_since_then_and_the_first_since_ever(shop: Api) -> None:
    shop("PUT", "orders/1001", order())
    assert (Order.objects.get().phone_changed_at, Order.objects.get().email_changed_at) == (None, None)
    shop("PUT", "orders/1001", order(customer=ORDER["customer"] | {"phone": "+49777777"}))
    phone_at = Order.objects.get().phone_changed_at
    assert phone_at is not None and Order.objects.get().email_changed_at is None
    shop("PUT", "orders/1001", order(customer=ORDER["customer"] | {"phone": "+49777777", "email": "eve@example.org"}))
    assert Order.objects.get().phone_changed_at == phone_at and Order.objects.get().email_changed_at > phone_at


def test_versions_only_rise(shop: Api) -> None:
    """Controller check 60; upstream: TestSyncJobUpdateRequeue."""
    shop("PUT", "orders/1001", order(version=5))
    older = shop("PUT", "orders/1001", order(version=4, shipping_minor=0))
    assert (older.status_code, older.json()["code"], older.json()["version"]) == (409, "older_version", 5)
    other = shop("PUT", "orders/1001", order(version=5, shipping_minor=0))
    assert (other.status_code, other.json()["code"]) == (409, "version_conflict")
    newer = shop("PUT", "orders/1001", order(version=6, shipping_minor=0))
    assert (newer.status_code, newer.json()["total_minor"], newer.json()["resource_version"]) == (200, 2500, 2)


def test_a_newer_version_of_the_same_content_is_remembered(shop: Api) -> None:
    shop("PUT", "orders/1001", order(version=5))
    assert shop("PUT", "orders/1001", order(version=7)).json()["version"] == 7
    assert shop("PUT", "orders/1001", order(version=6, shipping_minor=0)).json()["code"] == "older_version"


def test_lines_keep_their_rows_through_changes_removal_and_return(shop: Api) -> None:
    shop("PUT", "orders/1001", order())
    rows = dict(OrderLine.objects.values_list("line_id", "id"))
    mug, tea = order()["lines"]
    assert shop("PUT", "orders/1001", order(lines=[tea | {"quantity": 3}])).status_code == 200
    assert [line["id"] for line in shop("GET", "orders/1001").json()["lines"]] == ["TEA"]
    cup = {"sku": "CUP", "name": "Cup", "quantity": 1, "unit_price_minor": 5}
    assert shop("PUT", "orders/1001", order(lines=[cup, tea, mug])).status_code == 200
    assert rows.items() <= dict(OrderLine.objects.values_list("line_id", "id")).items()
    assert [line["id"] for line in shop("GET", "orders/1001").json()["lines"]] == ["CUP", "TEA", "MUG"]


@pytest.mark.parametrize(
    ("counts", "changes", "code", "figures"),
    [
        ({"shipped": 2}, {"quantity": 1}, "below_taken", ("1", "2 shipped")),
        ({"held": 1, "withheld": 1, "shipped": 1}, {"quantity": 1}, "below_taken", ("1", "1 held")),
        ({"refunded": 2, "refunded_minor": 2000}, {"quantity": 1}, "below_taken", ("1", "2 refunded")),
        (
            {"held": 1, "withheld": 1, "refunded_minor": 1000},
            {"unit_price_minor": 499},
            "below_refunded",
            ("998", "1000"),
        ),
        ({"shipped": 1}, {"fulfilment": "digital"}, "fulfilment_fixed", ("ship",)),
    ],
)
def test_a_line_never_falls_below_what_has_happened_to_it(
    shop: Api, counts: dict[str, int], changes: dict[str, Any], code: str, figures: tuple[str, ...]
) -> None:
    shop("PUT", "orders/1001", order())
    OrderLine.objects.filter(line_id="MUG").update(**counts)
    mug, tea = order()["lines"]
    response = shop("PUT", "orders/1001", order(lines=[mug | changes, tea]))
    assert (response.status_code, response.json()["code"]) == (409, code)
    assert all(figure in response.json()["detail"] for figure in figures)
    assert OrderLine.objects.get(line_id="MUG").quantity == 2


def test_a_line_in_a_refund_cannot_be_removed(shop: Api) -> None:
    shop("PUT", "orders/1001", order())
    OrderLine.objects.filter(line_id="MUG").update(held=1, withheld=1)
    response = shop("PUT", "orders/1001", order(lines=order()["lines"][1:]))
    assert (response.status_code, response.json()["code"]) == (409, "below_taken")


def payment(**changes: Any) -> list[dict[str, Any]]:
    return [ORDER["payments"][0] | changes]


def test_captured_money_follows_the_shop_up_and_down_but_never_below_what_is_taken(shop: Api) -> None:
    shop("PUT", "orders/1001", order())
    assert shop("PUT", "orders/1001", order(payments=payment(captured_minor=3500))).status_code == 200
    assert shop("PUT", "orders/1001", order(payments=payment(captured_minor=2000))).status_code == 200
    entries = LedgerEntry.objects.order_by("id").values_list("kind", "amount_minor")
    assert list(entries) == [("capture", 3000), ("capture", 500), ("correction", 1500)]
    PaymentShare.objects.update(reserved_minor=800, refunded_minor=700)
    low = shop("PUT", "orders/1001", order(payments=payment(captured_minor=1499)))
    assert (low.status_code, low.json()["code"]) == (409, "below_refunded")
    assert "1499" in low.json()["detail"] and "1500" in low.json()["detail"]
    missing = shop("PUT", "orders/1001", order(payments=[]))
    assert (missing.status_code, missing.json()["code"]) == (409, "payment_missing")
    assert PaymentShare.objects.get().captured_minor == 2000


def test_orders_share_a_payment_within_its_whole(shop: Api) -> None:
    def put(number: str, captured: int, **more: int) -> Any:
        return shop("PUT", f"orders/{number}", order(payments=payment(captured_minor=captured, **more)))

    assert put("1", 3000).status_code == 201
    assert put("2", 1000).json()["code"] == "payment_shared"
    assert put("2", 1000, shared_total_minor=3500).json()["code"] == "payment_overallocated"
    assert put("2", 1000, shared_total_minor=4000).status_code == 201
    assert put("1", 3000).status_code == 200
    assert put("1", 3500).json()["code"] == "payment_shared"
    assert put("1", 3500, shared_total_minor=4500).status_code == 200
    held = Payment.objects.get()
    assert (held.total_minor, held.allocated_minor) == (4500, 4500)
    assert Order.objects.count() == 2


@pytest.mark.parametrize("changes", [{}, {"shared_total_minor": 10**9}, {"captured_minor": 0}, {"currency": "EUR"}])
def test_a_payment_belongs_to_the_channel_that_stated_it_first(
    shop: Api, api_of: MakeApi, changes: dict[str, Any]
) -> None:
    shop("PUT", "orders/1", order())
    before = list(Payment.objects.values())
    other = api_of(Role.SHOP, Channel.objects.create(slug="other", name="Other"))
    refused = other("PUT", "orders/9", order(payments=payment(**changes)))
    assert (refused.status_code, refused.json()["code"]) == (409, "payment_of_another_channel")
    in_dollars = other("PUT", "orders/9", order(currency="USD", payments=[ORDER["payments"][0]]))
    assert in_dollars.json() == refused.json() and "EUR" not in refused.content.decode()
    assert list(Payment.objects.values()) == before and not Order.objects.filter(number="9").exists()
    other("PUT", "orders/9", order(payments=[]))
    later = other("PUT", "orders/9", order(payments=payment(shared_total_minor=10**9)))
    assert later.json()["code"] == "payment_of_another_channel"
    assert list(Payment.objects.values()) == before


def test_what_one_order_does_not_say_of_a_shared_payment_stays_as_the_other_said(shop: Api) -> None:
    first = order(version=1, payments=payment(captured_minor=3000, shared_total_minor=6000, authorized_minor=7000))
    shop("PUT", "orders/1", first)
    shop("PUT", "orders/2", order(payments=payment(captured_minor=3000, shared_total_minor=6000)))
    assert Payment.objects.get().authorized_minor == 7000
    assert shop("PUT", "orders/1", first).status_code == 200
    assert Order.objects.get(number="1").resource_version == 1


def test_a_payment_in_another_currency_is_refused_in_words(shop: Api) -> None:
    stated = shop("PUT", "orders/1", order(payments=payment(currency="USD")))
    assert stated.status_code == 422
    expected = "Payment pay-1 is in USD, the order in EUR: send what was captured"
    assert stated.json()["errors"] == [
        {"field": "payments[0].currency", "code": "currency_mismatch", "detail": expected}
    ]
    shop("PUT", "orders/2", order())
    stored = shop("PUT", "orders/3", order(currency="USD", payments=payment(shared_total_minor=9000)))
    assert stored.json()["code"] == "currency_mismatch"
    assert shop("PUT", "orders/2", order(currency="USD", payments=[])).json()["code"] == "currency_fixed"


def test_a_capture_that_its_gateway_cannot_have_made_is_refused_with_the_step(shop: Api, settings: Any) -> None:
    settings.GATEWAY_ACCOUNTS = {"stripe-kw": {"adapter": "stripe", "api_key": "sk"}}
    lines = [{"sku": "MUG", "name": "Mug", "quantity": 1, "unit_price_minor": 5124}]
    paid = payment(gateway="stripe-kw", captured_minor=5124)
    stated = order(currency="KWD", lines=lines, discounts=[], shipping_minor=0, shipping_tax_minor=0, payments=paid)
    refused = shop("PUT", "orders/1", stated)
    assert refused.status_code == 422, refused.content
    [error] = refused.json()["errors"]
    assert (error["field"], error["code"]) == ("payments[0].captured_minor", "amount_not_countable")
    assert "steps of 10" in error["detail"]


@pytest.mark.parametrize("account", ["stripe-eu", "1", "sandbox-courier"])
def test_a_payment_of_an_account_that_is_not_there_is_refused_with_those_that_are(shop: Api, account: str) -> None:
    refused = shop("PUT", "orders/1", order(payments=[*payment(), *payment(gateway=account, reference="pay-2")]))
    assert (refused.status_code, Order.objects.count()) == (422, 0)
    [error] = refused.json()["errors"]
    assert (error["field"], error["code"]) == ("payments[1].gateway", "unknown_account")
    assert error["detail"] == f"{account} is no gateway account of this installation: sandbox"


def test_an_order_stays_editable_when_its_account_has_left_the_configuration(shop: Api, settings: Any) -> None:
    shop("PUT", "orders/1", order())
    settings.GATEWAY_ACCOUNTS = {"other": {"adapter": "http"}}
    assert shop("PUT", "orders/1", order(shipping_minor=0, payments=payment(captured_minor=3500))).status_code == 200
    newer = order(shipping_minor=0, payments=[*payment(captured_minor=3500), *payment(reference="pay-2")])
    assert shop("PUT", "orders/1", newer).json()["code"] == "unknown_account"
    newer["payments"][1]["gateway"] = "other"
    assert shop("PUT", "orders/1", newer).status_code == 200


def line(**changes: Any) -> dict[str, Any]:
    return {"lines": [ORDER["lines"][0] | changes]}


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"total_minor": 2999}, "total_minor", "total_mismatch"),
        (line(line_total_minor=1999), "lines[0].line_total_minor", "price_mismatch"),
        (line(unit_price_minor=None), "lines[0]", "price_required"),
        (line(unit_price_minor=10**15, quantity=10**6), "lines[0]", "too_large"),
        (line(tax_minor=2001), "lines[0].tax_minor", "tax_too_high"),
        ({"lines": [ORDER["lines"][0]] * 2}, "lines[1].id", "line_id_required"),
        ({"lines": [ORDER["lines"][0] | {"id": "a"}] * 2}, "lines[1].id", "repeated"),
        ({"discounts": [{"label": "x", "amount_minor": 2501}]}, "discounts[0].amount_minor", "discount_too_high"),
        (
            {"discounts": [{"label": "x", "amount_minor": 1, "lines": ["NO"]}]},
            "discounts[0].lines[0]",
            "unknown_line",
        ),
        ({"payments": ORDER["payments"] * 2}, "payments[1].reference", "repeated"),
        ({"payments": payment(shared_total_minor=1)}, "payments[0].shared_total_minor", "too_small"),
        ({"payments": payment(captured_at="2999-01-01T00:00:00Z")}, "payments[0].captured_at", "in_the_future"),
        ({"ordered_at": "2999-01-01T00:00:00Z"}, "ordered_at", "in_the_future"),
    ],
)
def test_amounts_that_do_not_fit_are_named(shop: Api, changes: dict[str, Any], field: str, code: str) -> None:
    response = shop("PUT", "orders/1001", order(**changes))
    assert response.status_code == 422, response.content
    assert [(e["field"], e["code"]) for e in response.json()["errors"]] == [(field, code)]
    assert not Order.objects.exists() and not Payment.objects.exists()


def test_a_discount_may_name_a_line_by_its_sku(shop: Api) -> None:
    lines = [ORDER["lines"][0] | {"id": "first"}, ORDER["lines"][1]]
    body = order(lines=lines, discounts=[{"label": "x", "amount_minor": 100, "lines": ["MUG"]}], total_minor=2900)
    assert shop("PUT", "orders/1", body).status_code == 201
    assert shop("GET", "orders/1").json()["discounts"][0]["lines"] == ["first"]


@pytest.mark.parametrize("role", [r for r in (Role.SUPPORT, Role.WAREHOUSE, Role.AUDITOR, Role.FINANCE)])
def test_only_a_shop_states_orders(api_of: MakeApi, role: Role) -> None:
    response = api_of(role)("PUT", "orders/1", order())
    assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    assert not Order.objects.exists()


@pytest.mark.parametrize(
    "claim", [{"state": "cancelled"}, {"refund_state": "refunded"}, {"status": "refunded"}, {"refunded_minor": 3000}]
)
def test_no_statement_makes_money_refunded_that_has_not_moved(shop: Api, claim: dict[str, Any]) -> None:
    """woocommerce/woocommerce#23144: setting a status booked money as returned."""
    shop("PUT", "orders/1001", order())
    stated = shop("PUT", "orders/1001", order(version=2, **claim))
    assert (stated.status_code, stated.json()["code"]) == (422, "unknown_field")
    share = PaymentShare.objects.get()
    assert (Order.objects.get().refund_state, share.refunded_minor, share.free_minor) == ("none", 0, 3000)


def test_a_quantity_that_is_a_weight_is_refused_with_the_way_to_sell_it(shop: Api) -> None:
    [mug, _] = order()["lines"]
    stated = shop("PUT", "orders/1001", order(lines=[mug | {"quantity": 0.735}]))
    detail = "quantity is a whole number: sell 0.735 kg as one unit"
    assert (stated.status_code, stated.json()["errors"][0]["detail"]) == (422, detail)


def test_two_lines_of_one_sku_need_ids_of_their_own(shop: Api) -> None:
    [mug, _] = order()["lines"]
    stated = shop("PUT", "orders/1001", order(lines=[mug, mug | {"line_total_minor": 0, "unit_price_minor": None}]))
    assert stated.status_code == 422, stated.content
    free = mug | {"id": "MUG-free", "unit_price_minor": 0}
    assert shop("PUT", "orders/1001", order(lines=[mug, free])).status_code == 201
    assert [line["id"] for line in shop("GET", "orders/1001").json()["lines"]] == ["MUG", "MUG-free"]


def test_an_order_nobody_paid_is_cancelled_for_nothing_and_money_that_comes_later_is_a_case(shop: Api) -> None:
    shop("PUT", "orders/1001", order(payments=[]))
    asked = shop("POST", "orders/1001/refunds", {"lines": "all"})
    assert (asked.status_code, asked.json()["code"]) == (409, "not_captured")
    cancelled = shop("POST", "orders/1001/cancel").json()["refunds"]
    assert [(one["spec"]["amount_minor"], one["sheet"]["total_minor"]) for one in cancelled] == [(0, 0)]
    engine = Engine()
    engine.run(*Refund.objects.all())
    whole = shop("GET", "orders/1001").json()
    assert (whole["state"], [one["state"] for one in whole["refunds"]]) == ("cancelled", ["refunded"])
    assert not GatewayRefund.objects.exists() and not Incident.objects.exists()
    for version in (2, 3):
        assert shop("PUT", "orders/1001", order(version=version)).status_code == 200
    [incident] = Incident.objects.all()
    assert (incident.kind, incident.data["free_minor"]) == ("money_for_cancelled_order", 3000)
