"""The link and its pages: whose they are, which language they speak, what they say when something is wrong."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from orders.roles import SYSTEM
from orders.services.links import LinkWish, make_link
from tests.integration.engine.returns import pass_time
from tests.integration.pages.conftest import Customer, MakeCustomer, text_of


@pytest.mark.parametrize("purpose", ["order", "refund"])
def test_a_link_of_any_purpose_opens_the_order(customer: Customer, purpose: str) -> None:
    wish = LinkWish(customer.order.number, purpose, timedelta(days=1))
    customer.token = make_link(wish, channel_id=customer.order.channel_id, actor=SYSTEM).token
    assert "3 × Thing A" in text_of(customer.get())


@pytest.mark.parametrize("path", ["", "/refund", "/refund/confirm", "/requests/RF-R1", "/refunds/RF-1/cancel"])
def test_a_link_that_ran_out_or_never_was_says_what_to_do_next(customer: Customer, path: str) -> None:
    pass_time(timedelta(days=2))
    pages = [customer.get(path), Client().get(f"/r/no-such-link{path}")]
    if path not in ("", "/requests/RF-R1"):
        pages.append(customer.post(path))
    for page in pages:
        assert page.status_code == 404
        assert "This link is not valid, or has run out." in text_of(page)
        assert 'href="/r/"' in page.content.decode()


def test_a_page_that_is_not_there_says_so_in_the_readers_language(db: None) -> None:
    page = Client().get("/r/x/y/z", headers={"accept-language": "zh-CN"})
    assert (page.status_code, page.headers["Content-Language"]) == (404, "zh-hans")
    assert "找不到此页面" in text_of(page)
    assert Client(enforce_csrf_checks=True).post("/r/x/y/z").status_code == 404
    elsewhere = Client().get("/nothing", headers={"accept": "text/html,*/*", "accept-language": "en"})
    assert elsewhere.status_code == 404 and "This page cannot be found" in text_of(elsewhere)
    assert Client().get("/api/v1/nothing").headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("locale", "browser", "language"),
    [
        ("en", "zh-CN", "en"),
        ("zh-Hans", "en", "zh-hans"),
        ("", "zh-CN", "zh-hans"),
        ("", "fr", "en"),
        ("fr", "zh", "en"),
    ],
)
def test_the_first_visit_speaks_the_orders_language_else_the_browsers(
    customer_of: MakeCustomer, locale: str, browser: str, language: str
) -> None:
    page = customer_of(1000, customer_locale=locale).get(**{"accept-language": browser})
    assert page.headers["Content-Language"] == language


@pytest.mark.parametrize(
    ("locale", "date"), [("en-US", r"\w+ \d+, 2026, \d+:\d\d [AP]M UTC"), ("en", r"\d+ \w+ 2026, \d\d:")]
)
def test_dates_are_written_as_in_the_region_the_order_states(customer_of: MakeCustomer, locale: str, date: str) -> None:
    page = customer_of(1000, customer_locale=locale, shipping_address={"country": "US"}).get()
    assert re.search(date.replace("2026", r"20\d\d"), text_of(page)), text_of(page)


def test_the_language_chosen_stays(customer: Customer) -> None:
    assert "您购买的商品" in text_of(customer.get("?lang=zh-hans"))
    assert "您购买的商品" in text_of(customer.get())
    assert "哪些商品" in text_of(customer.get("/refund"))
    assert "What you bought" in text_of(customer.get("?lang=en"))
    assert "What you bought" in text_of(customer.get())


def test_the_way_back_to_the_shop_is_the_links_or_the_buttons(customer_of: MakeCustomer) -> None:
    customer = customer_of(1000, back="https://shop.test/orders/1")
    assert 'href="https://shop.test/orders/1"' in customer.get("/refund").content.decode()
    customer.get("?return_url=https://shop.test/mine%3Fa=1%26b=2")
    assert 'href="https://shop.test/mine?a=1&amp;b=2"' in customer.get("/refund").content.decode()


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "//evil.test", "/here", "data:text/html,x", "http://[", "https://a" + "b" * 600]
)
def test_only_a_web_page_is_a_way_back(customer: Customer, address: str) -> None:
    customer.browser.get(f"/r/{customer.token}", {"return_url": address})
    assert "Back to the shop" not in text_of(customer.get())


def test_nobody_else_keeps_frames_or_indexes_a_page(customer: Customer) -> None:
    headers = customer.get().headers
    assert headers["Cache-Control"] == "private, no-cache"
    assert headers["X-Robots-Tag"] == "noindex"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == "DENY"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy


def test_no_page_carries_script_or_style_of_its_own(customer: Customer) -> None:
    customer.confirm(A=1)
    for path in ("", "/refund", f"/requests/{customer.refund().number}"):
        html = customer.get(path).content.decode()
        assert "<style" not in html and "style=" not in html and "onclick" not in html
        assert all("src=" in tag for tag in html.split("<script")[1:])


@pytest.mark.parametrize("path", ["", "/refund", "/refund/confirm"])
@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"{}", "application/json"),
        (b"a=%ff%fe&b", "application/x-www-form-urlencoded"),
        (b"--x", "multipart/form-data; boundary=x"),
        (b"--x", "multipart/form-data"),
        (b"a=1", "application/x-www-form-urlencoded; charset=utf-99"),
        (b"&".join(b"a=1" for _ in range(2000)), "application/x-www-form-urlencoded"),
        (b"a=" + b"x" * 3_000_000, "application/x-www-form-urlencoded"),
    ],
)
def test_what_cannot_be_read_is_a_page_and_never_a_500(
    customer: Customer, path: str, body: bytes, content_type: str
) -> None:
    page = customer.browser.generic("POST", f"/r/{customer.token}{path}", body, content_type=content_type)
    assert page.status_code < 500
    assert page.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("number", ["RF-R1", "x" * 3000, "%00", "%F0%9F%98%80", "..%2f..", "RF-99999999999999999999"])
def test_no_number_is_a_500(customer: Customer, number: str) -> None:
    for path in (f"/requests/{number}", f"/requests/{number}/live", f"/refunds/{number}/cancel"):
        assert customer.get(path).status_code == 404
    assert customer.post(f"/refunds/{number}/cancel", form_token="t").status_code == 404


def test_a_number_of_another_order_leads_back_to_the_customers_own(customer: Customer) -> None:
    page = customer.get("/requests/RF-R404")
    assert page.status_code == 404 and f'href="/r/{customer.token}"' in page.content.decode()
    assert 'href="/r/"' not in page.content.decode()


def test_a_mistake_of_ours_is_a_page_too(customer: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    customer.order.discounts = [{"no": "label"}]
    customer.order.save(update_fields=["discounts"])
    page = customer.get()
    assert page.status_code == 500
    assert "Something went wrong on our side." in text_of(page)
