"""How the books stood at a moment, asked for later."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from orders import clock
from orders.models import Channel, Order
from orders.roles import Role
from refunds.models import GatewayRefund, LedgerEntry
from refunds.selectors.books_reports import Report, report
from refunds.services.acts import retry
from tests.factories import make_order, request
from tests.integration.books.entries import at, enter, make_channel, share_in
from tests.integration.engine.conftest import Engine, fact
from tests.integration.engine.returns import FINANCE, pass_time, target
from tests.integration.refunds_api.clients import Caller
from workers.ports import Found, NotSent, Refused, Unknown

pytestmark = pytest.mark.django_db


@pytest.fixture
def engine() -> Engine:
    return Engine()


def stood(shop: Channel, when: str) -> Report:
    return report([shop.pk], as_of=at(when))


def test_liability_is_what_was_reserved_and_had_not_moved_by_account_and_currency() -> None:
    shop = make_channel("utc", "UTC")
    card, yen = share_in(shop), share_in(shop, account="stripe-eu", currency="JPY")
    enter(card, "reserve", 2_900, "2026-05-01 10:00", reference="a")
    enter(card, "reserve", 100, "2026-05-01 11:00", reference="b")
    enter(yen, "reserve", 5_800, "2026-05-02 10:00", reference="c")
    enter(card, "release", 2_900, "2026-05-03 10:00", reference="a")
    enter(card, "external", 2_900, "2026-05-03 10:00", reference="a")

    def owed(when: str) -> list[tuple[str, str, int, int]]:
        return [(row.account, row.currency, row.count, row.amount_minor) for row in stood(shop, when).liability]

    assert owed("2026-05-01 09:59:59") == []
    assert owed("2026-05-01 10:00") == [("sandbox", "EUR", 1, 2_900)]
    assert owed("2026-05-02 12:00") == [("sandbox", "EUR", 2, 3_000), ("stripe-eu", "JPY", 1, 5_800)]
    assert owed("2026-05-04 00:00") == [("sandbox", "EUR", 1, 100), ("stripe-eu", "JPY", 1, 5_800)]


def test_reserved_for_over_seven_days_counts_from_the_latest_reservation() -> None:
    shop = make_channel("utc", "UTC")
    share = share_in(shop)
    enter(share, "reserve", 2_900, "2026-05-01 10:00", reference="a")
    assert stood(shop, "2026-05-08 09:59:59").reserved_long == ()
    [item] = stood(shop, "2026-05-08 10:00").reserved_long
    assert (item.amount_minor, item.reference, item.since) == (2_900, "a", at("2026-05-01 10:00"))
    enter(share, "release", 900, "2026-05-09 10:00", reference="a")
    assert stood(shop, "2026-05-09 10:00").reserved_long[0].amount_minor == 2_000


def test_an_outcome_is_unknown_from_when_it_left_until_it_was_heard_of(engine: Engine) -> None:
    order: Order = make_order(1000)
    refund = request(order).refunds[0]
    [out] = engine.begin(refund).calls
    engine.answer(out, Unknown("time-out"))
    movement = GatewayRefund.objects.get(refund=refund)
    left, channels = movement.first_sent_at, [order.channel_id]
    assert left is not None
    [item] = report(channels, as_of=clock.now()).unknown
    assert (item.movement, item.amount_minor, item.since) == (movement.number, 1000, left)
    assert report(channels, as_of=left - timedelta(microseconds=1)).unknown == ()
    unheard = clock.now()
    [asked] = engine.begin(refund).calls
    engine.answer(asked, Found((fact(asked.movement),)))
    assert report(channels, as_of=clock.now()).unknown == ()
    assert [item.movement for item in report(channels, as_of=unheard).unknown] == [movement.number]


def unknown_of(order: Order) -> list[str]:
    return [item.movement for item in report([order.channel_id], as_of=clock.now()).unknown]


def test_what_never_left_is_not_unknown(engine: Engine) -> None:
    order: Order = make_order(1000)
    [out] = engine.begin(request(order).refunds[0]).calls
    engine.answer(out, NotSent("the gateway account sandbox is not configured"))
    assert GatewayRefund.objects.get().first_sent_at is not None
    assert unknown_of(order) == []


def test_what_was_declined_and_is_to_be_sent_again_is_not_unknown(engine: Engine) -> None:
    order: Order = make_order(1000)
    [out] = engine.begin(refund := request(order).refunds[0]).calls
    engine.answer(out, Refused("declined", "no", retryable=False))
    retry(target(refund), actor=FINANCE)
    assert GatewayRefund.objects.get().state == "intended"
    assert unknown_of(order) == []


def test_what_the_gateway_does_not_know_is_unknown_no_more(engine: Engine) -> None:
    order: Order = make_order(1000)
    [out] = engine.begin(refund := request(order).refunds[0]).calls
    engine.answer(out, Unknown("time-out"))
    assert unknown_of(order) == [out.movement.number]
    pass_time(timedelta(minutes=5))
    [asked] = engine.begin(refund).calls
    engine.answer(asked, Found())
    assert unknown_of(order) == []


def test_what_a_killed_process_had_sent_is_unknown_from_the_first_question_on(engine: Engine) -> None:
    order: Order = make_order(1000)
    refund = request(order).refunds[0]
    engine.begin(refund)
    pass_time(timedelta(minutes=5))
    for _ in range(2):
        [asked] = engine.begin(refund).calls
        assert asked.asks and unknown_of(order) == [asked.movement.number]
        engine.answer(asked, Unknown("no answer"))
        pass_time(timedelta(hours=7))
    assert refund.events.filter(kind="gateway_refund.unanswered").count() == 1


def test_money_paid_outside_by_word_alone_is_unproven_until_it_came_back() -> None:
    shop = make_channel("utc", "UTC")
    share = share_in(shop)
    enter(share, "external", 2_900, "2026-05-01 10:00", reference="gr_77")
    enter(share, "external", 500, "2026-05-02 10:00")
    assert stood(shop, "2026-05-01 12:00").unproven == ()
    [item] = stood(shop, "2026-05-03 00:00").unproven
    assert (item.amount_minor, item.reference, item.since) == (500, "", at("2026-05-02 10:00"))


def test_other_channels_are_not_told_of() -> None:
    mine, other = make_channel("mine", "UTC"), make_channel("other", "UTC")
    enter(share_in(other), "reserve", 5, "2026-05-01 10:00")
    assert stood(mine, "2026-06-01 10:00").liability == ()
    assert [row["channel"] for row in Caller(other, role=Role.AUDITOR).get("/books/report").body["liability"]] == [
        "other"
    ]


def test_command_and_api_tell_the_same(tmp_path: Path) -> None:
    shop = make_channel("utc", "UTC")
    enter(share_in(shop, number="O-77"), "reserve", 2_900, "2026-05-01 10:00", reference="a")
    out = Caller(shop, role=Role.FINANCE).get("/books/report?as_of=2026-05-09T10:00:00Z").body
    assert out["as_of"] == "2026-05-09T10:00:00Z"
    assert out["liability"] == [
        {"channel": "utc", "account": "sandbox", "currency": "EUR", "count": 1, "amount_minor": 2900, "amount": "29.00"}
    ]
    assert out["reserved_long"][0]["since"] == "2026-05-01T10:00:00Z"
    file = tmp_path / "report.json"
    call_command("books", "report", "--as-of", "2026-05-09T10:00:00Z", "--format", "json", "-o", str(file))
    assert json.loads(file.read_text()) == out


def test_a_moment_that_lies_ahead_or_is_none_is_a_problem() -> None:
    finance = Caller(make_channel("utc", "UTC"), role=Role.FINANCE)
    assert finance.get("/books/report?as_of=2999-01-01T00:00:00Z").code == "in_the_future"
    assert finance.get("/books/report?as_of=soon").code == "not_a_time"


def test_a_table_for_people(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    shop = make_channel("utc", "UTC")
    enter(share_in(shop, number="O-77"), "reserve", 2_900, "2026-05-01 10:00", reference="a")
    call_command("books", "report", "--channel", "utc", "--as-of", "2026-05-09T10:00:00Z")
    text = capfdbinary.readouterr().out.decode()
    assert "As of 2026-05-09T10:00:00Z" in text and "€29.00" in text and "O-77" in text
    assert "Sent, outcome unknown" in text


def test_reports_cost_four_statements(django_assert_num_queries) -> None:
    shop = make_channel("utc", "UTC")
    for n in range(20):
        enter(share_in(shop), "reserve", 100 + n, "2026-05-01 10:00")
    assert LedgerEntry.objects.count() == 20 and connection.in_atomic_block
    with django_assert_num_queries(4):
        stood(shop, "2026-06-01 10:00")
