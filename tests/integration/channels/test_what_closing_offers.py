"""What an order offers is what a request gets, in every state of its channel: by API, by page and at the console."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from orders.models import Channel, Order, PaymentShare
from orders.registry import Registry
from orders.roles import Role
from refunds import records
from refunds.declared.envelope import Declared
from refunds.services.manifests.applying import apply_manifest
from refunds.services.manifests.opening import open_channel
from tests.factories import make_order
from tests.integration.asking.conftest import Bought, Shop, line, pay, units
from tests.integration.channels.manifests import OPERATOR, declare, look, look_at_what_goes, remove, served, web_process
from tests.integration.console.people import Person
from tests.integration.pages.conftest import Customer, hidden, text_of
from tests.policies import put_in_force

pytestmark = pytest.mark.django_db
CLOSING = "channel_closing"
#: Of an order's channel: what is done before the order comes, and after it.
Step = Callable[[], object]


def applied() -> None:
    """As by the API: it can be used before its controller has looked."""
    apply_manifest(Declared("Channel", "fashion", {}), OPERATOR)
    open_channel("fashion")


def not_loaded_yet() -> None:
    web_process("another", {})
    declare("fashion")


def nothing() -> None:
    """The channel stays as it is."""


def looked_at_while_it_goes() -> None:
    remove("fashion")
    look("fashion")


STATES: dict[str, tuple[Step, Step, str]] = {
    "default": (nothing, nothing, ""),
    "applied, never looked at": (applied, nothing, ""),
    "not Established": (not_loaded_yet, nothing, ""),
    "served": (lambda: declare("fashion"), nothing, ""),
    "closing": (lambda: declare("fashion"), lambda: remove("fashion"), CLOSING),
    "closing, never looked at": (applied, lambda: remove("fashion"), CLOSING),
    "Terminating": (lambda: declare("fashion"), looked_at_while_it_goes, CLOSING),
}
#: The orders of a shop by what a request finds of them.
ORDERS: dict[str, Callable[[Shop], Bought]] = {
    "unshipped": lambda shop: shop.order(line("CUP", 1000, quantity=2), shipping_minor=500),
    "delivered": lambda shop: _delivered(shop.order(line("CUP", 1000, quantity=2))),
    "half refunded": lambda shop: _asked(shop.order(line("CUP", 1000, quantity=2)), units(CUP=1)),
    "overpaid": lambda shop: shop.order(line("CUP", 1000), paid=1500),
    "not charged": lambda shop: shop.order(line("CUP", 1000), paid=0),
    "too little captured": lambda shop: shop.order(line("CUP", 1000), line("TEA", 500), paid=1200),
    "window over": lambda shop: _delivered(shop.order(line("ODD", 1000, labels={"kind": "odd"}))),
}
WISHES: tuple[dict[str, Any], ...] = (
    {"lines": "all"},
    {"amount_minor": 1, "initiator": "merchant"},
    {"overpaid": True},
)


def _delivered(bought: Bought) -> Bought:
    bought.ship()
    return bought


def _asked(bought: Bought, wish: dict[str, Any]) -> Bought:
    bought.refund(wish)
    return bought


def shop_in(state: str, orders: tuple[str, ...] = tuple(ORDERS)) -> tuple[Shop, dict[str, Bought]]:
    """A shop whose channel is in this state, with orders that came before."""
    before, after, _ = STATES[state]
    put_in_force(exclusions=[{"rule": "fresh food", "labels": {"kind": "odd"}}])
    before()
    shop = Shop(Channel.objects.get(is_default=True) if state == "default" else served("fashion"))
    stated = {name: ORDERS[name](shop) for name in orders}
    if state == "Terminating":
        _asked(shop.order(line("RUN", 100)), {"lines": "all"})
    after()
    return shop, stated


@pytest.mark.parametrize("state", STATES)
def test_what_an_order_offers_is_what_a_request_gets(channels: Registry, state: str) -> None:
    _, orders = shop_in(state)
    refusal = STATES[state][2]
    for name, bought in orders.items():
        whole = bought.get()
        preview, told = bought.preview({"lines": "all"}), whole["refundable"]
        codes = [one["code"] for one in (told["why_not"], *(x["refundable"]["why_not"] for x in whole["lines"])) if one]
        assert told["amount_minor"] == (0 if preview.status != 200 else preview.body["total_minor"]) or (
            name == "too little captured" and not refusal
        ), name
        assert (CLOSING in codes) == bool(refusal), (name, codes)
        if refusal:
            assert told["why_not"] == {"code": preview.code, "detail": preview.body["detail"]}, name
            assert {bought.preview(wish).code for wish in WISHES} == {refusal}
            assert {bought.ask(wish).code for wish in WISHES} == {refusal}
            _offers_nothing(whole)


def _offers_nothing(whole: dict[str, Any]) -> None:
    assert (whole["refundable"]["amount_minor"], whole["refundable"]["shipping_minor"]) == (0, 0)
    for one in whole["lines"]:
        open_ = one["refundable"]
        assert (open_["quantity"], open_["amount_minor"], open_["route"], open_["routes"]) == (0, 0, None, [])
        assert (open_["limited"], open_["excluded_by"]) == ([], None)
        assert open_["why_not"] == whole["refundable"]["why_not"] | {"refunds": []}


def test_a_line_of_which_all_is_gone_says_where_it_went_though_its_channel_is_closing(channels: Registry) -> None:
    shop, _ = shop_in("served", ())
    running, paid = shop.order(line("CUP", 1000)), shop.order(line("CUP", 1000))
    first, second = running.refund({"lines": "all"}), paid.refund({"lines": "all"})
    assert pay(second) == ["refunded"]
    remove("fashion")
    for bought, code, refund in ((running, "in_refund", first), (paid, "refunded", second)):
        whole = bought.get()
        told = whole["lines"][0]["refundable"]["why_not"]
        assert (told["code"], told["refunds"]) == (code, [refund["metadata"]["number"]])
        assert whole["refundable"]["why_not"]["code"] == bought.preview({"lines": "all"}).code == CLOSING


SHUT = {
    "en": "This shop is being closed and takes no new requests. Please write to us.",
    "zh-hans": "该店铺正在关闭，不再受理新的申请，请与我们联系。",
}
GONE = {
    "en": "This shop is closed for good and takes no new requests. Please write to us.",
    "zh-hans": "该店铺已永久关闭，不再受理新的申请，请与我们联系。",
}
FORMS = ("/refund", "/overpaid", "/cancel")


@pytest.mark.parametrize("state", STATES)
def test_a_page_has_the_forms_that_are_not_refused(channels: Registry, state: str) -> None:
    """Whoever opened one before, or knows its address, is told the same."""
    _, orders = shop_in(state)
    refusal = STATES[state][2]
    for name, bought in orders.items():
        customer = Customer(Order.objects.get(number=bought.number))
        for language, text in SHUT.items():
            page = customer.get(f"?lang={language}")
            assert (text in text_of(page)) == bool(refusal), (name, text_of(page))
            has = {form for form in FORMS if f'{customer.token}{form}"' in page.content.decode()}
            assert has == (set() if refusal else OFFERED[name]), name
            step_one = customer.get("/refund")
            assert step_one.status_code == 200
            assert ('<form method="post"' in step_one.content.decode()) == ("/refund" in has), (name, text_of(step_one))
            assert (text in text_of(step_one)) == bool(refusal), (name, text_of(step_one))
            if refusal:
                assert "does not cover it" not in text_of(page)
                _is_refused_everywhere(customer, text)


#: The forms on the page of each order, where its channel takes requests.
OFFERED = {
    "unshipped": {"/refund"},
    "delivered": {"/refund"},
    "half refunded": {"/refund"},
    "overpaid": {"/refund", "/overpaid"},
    "not charged": {"/cancel"},
    "too little captured": {"/refund"},
    "window over": {"/refund"},
}


def _is_refused_everywhere(customer: Customer, text: str) -> None:
    chosen = {f"units-{line.pk}": 1 for line in customer.order.lines.all()}
    is_paid = PaymentShare.objects.filter(order=customer.order).exists()
    for path in ("/refund", "/refund/confirm", "/overpaid", *(() if is_paid else ("/cancel",))):
        answer = customer.post(path, form_token="t" * 20, shown="1", **chosen)
        assert (answer.status_code, text in text_of(answer)) == (409, True), (path, text_of(answer))
        assert "None of it is left" not in text_of(answer)


def test_it_says_whom_to_write_to(channels: Registry) -> None:
    declare("fashion", title="Fashion House", contact="help@fashion.example")
    customer = Customer(make_order(channel=served("fashion")))
    silent = Customer(make_order(channel=_channel("quiet", title="Quiet House")))
    for slug in ("fashion", "quiet"):
        remove(slug)
    for path in ("", "/refund"):
        main = customer.get(path).content.decode().partition("</main>")[0]
        assert '<a role="button" class="wide" href="mailto:help@fashion.example">help@fashion.example</a>' in main
        page = text_of(silent.get(path))
        assert SHUT["en"] in page and "Ask Quiet House." in page


def _channel(slug: str, **spec: Any) -> Channel:
    declare(slug, **spec)
    return served(slug)


def test_a_link_to_an_order_of_a_shop_that_is_gone_says_so(channels: Registry) -> None:
    """Its keys find nothing any more, and its customers still have their links."""
    shop, orders = shop_in("served", ("unshipped", "overpaid", "not charged"))
    remove("fashion")
    assert look_at_what_goes("fashion")
    for bought in orders.values():
        customer = Customer(Order.objects.get(number=bought.number))
        for language, text in GONE.items():
            for path in ("", "/refund"):
                page = text_of(customer.get(f"{path}?lang={language}"))
                assert text in page and SHUT[language] not in page
            _is_refused_everywhere(customer, text)
        read = shop.by(Role.SHOP).get(f"/orders/{bought.number}?channel=fashion")
        assert read.status == bought.ask({"lines": "all"}).status == bought.preview({"lines": "all"}).status == 404


def test_a_form_that_was_sent_before_leads_to_its_request_still(channels: Registry) -> None:
    customer = Customer(make_order(channel=_channel("fashion"), customer_locale="en"))
    sent = hidden(customer.choose(A=1), "/refund/confirm")
    made = customer.post("/refund/confirm", **sent)
    assert made.status_code == 303
    remove("fashion")
    assert customer.post("/refund/confirm", **sent).headers["Location"] == made.headers["Location"]


def test_an_agent_is_told_in_place_of_the_forms(channels: Registry) -> None:
    order = make_order(channel=_channel("fashion"))
    person, page = Person(Role.SUPERVISOR, order.channel), f"orders/{order.pk}/"
    assert "data-action" in person.get(page).html
    remove("fashion")
    for language, text in AGENTS.items():
        person.client.cookies["django_language"] = language
        assert text in person.get(page) and "data-action" not in person.get(page).html
        assert text in person.post(f"{page}refund/amount/", {"amount": "1", "note": "As agreed."})


AGENTS = {"en": "This shop is being closed: it takes no new refunds.", "zh-hans": "该店铺正在关闭，不再受理新的退款。"}


def statements(read: Callable[[], object]) -> int:
    counted: list[str] = []

    def count(execute: Any, sql: str, *rest: Any) -> Any:
        counted.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(count), records.counted() as set_based:
        read()
    return len(counted) + len(set_based)


def test_that_it_is_closing_costs_no_statement_more(channels: Registry) -> None:
    shop, _ = shop_in("served", ())
    few, many = shop.order(line("CUP", 1000)), shop.order(*(line(f"S{n}", 100) for n in range(40)))
    customer = Customer(Order.objects.get(number=few.number))
    counts = []
    for step in (nothing, lambda: remove("fashion")):
        step()
        customer.get()
        counts.append([statements(few.get), statements(many.get), statements(customer.get)])
    assert counts[0] == counts[1]
    assert counts[0][0] == counts[0][1]
