"""Looking an order up: who knows number and address gets a link, nobody else learns anything."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.http import HttpResponse
from django.test import Client, RequestFactory

from orders.models import Channel, Order
from orders.rest.attempts import address_of
from tests.factories import make_order
from tests.integration.pages.conftest import Customer, hidden, text_of

#: A browser's address of its own for each test, since attempts are counted.
ADDRESSES = iter(f"10.1.{n // 250}.{n % 250 + 1}" for n in range(10_000))


@pytest.fixture
def asker(redis_client: redis.Redis, db: None) -> Iterator[Client]:
    yield Client(enforce_csrf_checks=True, REMOTE_ADDR=next(ADDRESSES), headers={"accept-language": "en"})


def look_up(asker: Client, number: str, email: str, **extra: Any) -> HttpResponse:
    return asker.post("/r/", {"number": number, "email": email}, **extra)


def test_number_and_address_open_the_order(customer: Customer, asker: Client) -> None:
    found = look_up(asker, f" {customer.order.number} ", customer.order.customer_email.upper())
    assert found.status_code == 303
    page = asker.get(found.headers["Location"])
    assert f"Order {customer.order.number}" in text_of(page)


@pytest.mark.parametrize(
    ("kept", "typed"),
    [
        ("ab-1001", "AB-1001"),
        ("AB-1001", "ab-1001"),
        ("1001", "#1001"),
        ("#1001", "1001"),
        ("#Ab-1", " #Ab-1 "),
        ("A-1001", "Ａ－１００１"),
        ("A-1001", "A-\u200b1001\ufeff "),
        ("Ａ１", "Ａ１"),
    ],
)
def test_a_number_is_found_however_it_is_written(asker: Client, kept: str, typed: str) -> None:
    make_order(number=kept, customer_email="ada@example.org")
    assert look_up(asker, typed, "\u200bada@example.org ").status_code == 303


def test_unknown_and_wrong_are_told_apart_by_nobody(customer: Customer, asker: Client) -> None:
    nobody = make_order(customer_email="")
    attempts = [
        (customer.order.number, "wrong@example.org"),
        ("O-404", customer.order.customer_email),
        (nobody.number, "wrong@example.org"),
    ]
    answers = [look_up(asker, *attempt) for attempt in attempts]
    assert {answer.status_code for answer in answers} == {422}
    said = "We found no order with this number and this e-mail address."
    assert all(said in text_of(answer) for answer in answers)
    assert f'value="{customer.order.number}"' in answers[0].content.decode()


@pytest.mark.parametrize(
    "number, email", [("", ""), ("O-1", ""), ("", "a@b.test"), ("\x00", "a@b.test"), ("x" * 70, "y")]
)
def test_what_is_missing_is_said_at_its_field(asker: Client, number: str, email: str) -> None:
    page = look_up(asker, number, email)
    assert page.status_code == 422 and 'class="field wrong"' in page.content.decode()


def test_the_same_number_in_two_shops_is_told_apart_by_the_address(customer: Customer, asker: Client) -> None:
    other = Channel.objects.create(slug="other", name="Other shop")
    theirs = make_order(customer_email="li@example.org")
    Order.objects.filter(pk=theirs.pk).update(channel=other, number=customer.order.number)
    mine = look_up(asker, customer.order.number, customer.order.customer_email)
    assert "Default shop" in text_of(asker.get(mine.headers["Location"]))
    found = look_up(asker, customer.order.number, "li@example.org")
    assert "Other shop" in text_of(asker.get(found.headers["Location"]))


def test_guessing_at_one_number_ends_from_wherever_it_comes_and_however_it_is_written(
    customer: Customer, redis_client: redis.Redis
) -> None:
    written = ["O-1", " O-1", "o-1 ", "#O-1", "Ｏ-1", "O-\u200b1"] * 2
    answers = [look_up(Client(REMOTE_ADDR=next(ADDRESSES)), number, "x@x.test") for number in written]
    assert [answer.status_code for answer in answers] == [422] * 10 + [429] * 2


def test_whoever_is_shut_out_by_others_guesses_has_a_link_mailed(customer: Customer, redis_client: redis.Redis) -> None:
    number = customer.order.number
    for n in range(10):
        look_up(Client(REMOTE_ADDR=next(ADDRESSES)), number, f"{n}@x.test")
    shut_out = look_up(Client(REMOTE_ADDR=next(ADDRESSES), headers={"accept-language": "en"}), number, "x@x.test")
    assert hidden(shut_out, "/r/new-link") == {"number": number}
    assert re.search(r"Please try again in \d+ min\.", text_of(shut_out))
    assert 'role="button"' not in shut_out.content.decode()


def test_nobody_is_shut_out_by_his_own_visits(customer: Customer, asker: Client) -> None:
    visits = [look_up(asker, customer.order.number, customer.order.customer_email) for _ in range(12)]
    assert {visit.status_code for visit in visits} == {303}


def test_guessing_from_one_address_ends_and_says_when_to_come_again(asker: Client) -> None:
    for n in range(30):
        look_up(asker, f"O-{n}-404", "x@x.test")
    refused = look_up(asker, "O-31-404", "x@x.test")
    assert refused.status_code == 429 and 0 < int(refused.headers["Retry-After"]) <= 600
    assert "Too many tries in a short time." in text_of(refused)
    assert asker.get("/r/").status_code == 200


@pytest.mark.parametrize(
    ("peer", "header", "counted"),
    [
        ("10.0.0.1", "", "10.0.0.1/32"),
        ("10.0.0.1", "6.6.6.6, 7.7.7.7", "7.7.7.7/32"),
        ("10.0.0.1", "nonsense", "unknown"),
        ("2001:db8::1:2", "", "2001:db8::/64"),
        ("", "", "unknown"),
    ],
)
def test_attempts_are_counted_by_the_address_the_proxy_names(
    rf: RequestFactory, settings: Any, peer: str, header: str, counted: str
) -> None:
    settings.CLIENT_ADDRESS_HEADER = "X-Forwarded-For"
    request = rf.post("/r/", REMOTE_ADDR=peer, **({"HTTP_X_FORWARDED_FOR": header} if header else {}))
    assert address_of("", request) == counted


def test_while_nobody_can_count_nobody_can_guess(customer: Customer, asker: Client, settings: Any) -> None:
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": "redis://127.0.0.1:1/0"}}
    refused = look_up(asker, customer.order.number, customer.order.customer_email)
    assert refused.status_code == 503 and refused.headers["Retry-After"]
    assert "We cannot be reached right now." in text_of(refused)
