"""What a customer does to a running refund: the same acts as over the API, driven from the one table."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from orders import clock
from orders.models import Channel
from orders.roles import Actor, Role
from refunds.actions import RULE_OF, Action
from refunds.models import Pickup, Refund, RefundEvent
from refunds.pages.acting import DO
from refunds.selectors.allowed import allowed_actions
from refunds.services.acts import Approval, approve
from tests.factories import make_order, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.crediting import ACCOUNTS
from tests.integration.engine.returns import AGENT, Courier, target, work
from tests.integration.engine.test_walk import SITUATIONS, Situation
from tests.integration.engine.tried import ABOUT_A_REFUND, tries
from tests.integration.pages.conftest import Customer, MakeCustomer, hidden, text_of
from tests.integration.refunds_api.clients import Caller
from tests.pictures import picture

ZONE = ZoneInfo("Europe/Berlin")


@pytest.mark.sized
@pytest.mark.django_db
@pytest.mark.parametrize("here", SITUATIONS, ids=str)
def test_the_page_does_and_refuses_what_the_table_and_the_api_do(here: Situation, settings) -> None:
    settings.GATEWAY_ACCOUNTS = ACCOUNTS
    refund = here.build()
    customer = Customer(refund.order)
    may = allowed_actions(refund, Actor(f"customer:{refund.order_id}", Role.CUSTOMER))
    channel = Channel.objects.get(is_default=True)
    callers = {role: Caller(channel, role=role) for role in (Role.SHOP, Role.SUPPORT)}
    page = customer.get(f"/requests/{refund.number}").content.decode()
    for action in ABOUT_A_REFUND:
        assert (f"/refunds/{refund.number}/{action}" in page) == (action in DO and action in may), action
    for action, _ in tries(here, [Role.CUSTOMER]):
        by_page = page_status(customer, refund, action)
        if action in DO:
            role = Role.SHOP if Role.SHOP in RULE_OF[action].roles else Role.SUPPORT
            by_api = api_status(callers[role], refund, action)
            assert by_page == (303 if action in may else 409), (action, by_page)
            assert (by_page == 303) == (by_api < 300), (action, by_api)
        else:
            assert by_page == 404, (action, by_page)


def page_status(customer: Customer, refund: Refund, action: Action) -> int:
    return undone(lambda: customer.act(refund, action, **said(action)[0]).status_code)


def api_status(caller: Caller, refund: Refund, action: Action) -> int:
    body = said(action)[1]
    kind = {"Content_Type": "image/jpeg"} if isinstance(body, bytes) else {}
    return undone(lambda: caller.post(f"/refunds/{refund.number}/{action}", body or None, **kind).status)


def undone(ask: Callable[[], int]) -> int:
    """What is answered; the next starts from the same rows."""
    sid = transaction.savepoint()
    status = ask()
    transaction.savepoint_rollback(sid)
    return status


def said(action: Action) -> tuple[dict[str, Any], Any]:
    """On the page, and over the API."""
    days = [clock.now() + timedelta(days=n) for n in (1, 2)]
    known: dict[Action, tuple[dict[str, Any], Any]] = {
        Action.SHIP_BACK: ({"carrier": "post", "tracking_number": "X1"},) * 2,
        Action.WRITE: ({"text": "It is sound."},) * 2,
        Action.CONTEST: ({"note": "It was whole."},) * 2,
        Action.SET_TARGET: ({}, {"refund_to": "store_credit"}),
        Action.CONFIRM_TARGET: ({"code": "000000"}, {"code": "000000"}),
        Action.REBOOK_PICKUP: (
            {"day": f"{days[0]:%Y-%m-%d}", "hours": "2"},
            {"slot": {"starts_at": days[0].isoformat(), "ends_at": days[1].isoformat()}},
        ),
        Action.EVIDENCE: ({"photos": SimpleUploadedFile("a.jpg", picture())}, picture()),
    }
    return known.get(action, ({}, {}))


@pytest.fixture
def returning(customer_of: MakeCustomer) -> Customer:
    """Approved, and a courier is booked."""
    customer = customer_of(1000, quantity=3)
    ship(customer.order)
    customer.confirm(A=2)
    refund, engine, courier = customer.refund(), Engine(), Courier()
    work(engine, courier, refund)
    approve(target(refund), Approval(), actor=AGENT)
    work(engine, courier, refund)
    return customer


def test_a_cancel_is_done_once_and_said(customer: Customer) -> None:
    customer.confirm(A=2)
    refund = customer.refund()
    page = f"/r/{customer.token}/requests/RF-R{refund.pk}"
    for _ in range(2):
        done = customer.act(refund, "cancel")
        assert (done.status_code, done.headers["Location"]) == (303, page)
    assert customer.refund().state == "cancelled"
    assert RefundEvent.objects.filter(kind="refund.cancelled", role="customer").count() == 1
    again = customer.act(refund, "cancel", form_token="another")
    assert again.status_code == 409 and "It has been cancelled already" in text_of(again)


def test_a_cancel_with_a_courier_on_his_way_waits_for_his_word(returning: Customer) -> None:
    refund = returning.refund()
    returning.act(refund, "cancel")
    page = returning.get(f"/requests/{refund.number}")
    assert "Your cancellation is on its way" in text_of(page)
    assert f"/refunds/{refund.number}/cancel" not in page.content.decode()


def test_goods_posted_are_told_with_carrier_and_number(returning: Customer) -> None:
    refund = returning.refund()
    wrong = returning.act(refund, "ship_back", carrier="DHL", tracking_number="")
    assert wrong.status_code == 422 and "This field is required." in text_of(wrong)
    assert 'value="DHL"' in wrong.content.decode()
    assert returning.act(refund, "ship_back", carrier="DHL", tracking_number="\u200bJD1\u202c").status_code == 303
    assert "DHL JD1" in text_of(returning.get(f"/requests/{refund.number}"))
    assert Pickup.objects.filter(refund=refund, waybill="JD1", carrier="DHL").count() == 1


def test_the_courier_comes_at_another_time_by_the_customers_own_clock(returning: Customer) -> None:
    refund = returning.refund()
    day = (clock.now() + timedelta(days=5)).date()
    for _ in range(2):
        assert returning.act(refund, "rebook_pickup", day=f"{day}", hours="0").status_code == 303
    [asked] = Pickup.objects.filter(refund=refund, state="intended")
    assert asked.slot_from is not None
    assert f"{asked.slot_from.astimezone(ZONE):%Y-%m-%d %H:%M}" == f"{day} 09:00"


@pytest.mark.parametrize("days", [-1, 91])
def test_a_time_that_no_courier_takes_is_refused_at_its_field(returning: Customer, days: int) -> None:
    refund = returning.refund()
    day = (clock.now() + timedelta(days=days)).date()
    page = returning.act(refund, "rebook_pickup", day=f"{day}", hours="0")
    assert page.status_code == 422
    assert "Please choose a time within the next 90 days." in text_of(page)
    assert f'value="{day}"' in page.content.decode()


@pytest.mark.parametrize("day", ["", "tomorrow", "2026-02-30", "9999-12-31", "0001-01-01"])
def test_a_day_that_is_none_is_refused(returning: Customer, day: str) -> None:
    assert returning.act(returning.refund(), "rebook_pickup", day=day, hours="0").status_code == 422


def test_a_link_acts_on_no_other_order(returning: Customer) -> None:
    other = Customer(make_order())
    refund = returning.refund()
    for path in (f"/requests/{refund.number}", f"/requests/RF-R{refund.pk}", f"/requests/{refund.number}/live"):
        assert other.get(path).status_code == 404
    assert other.act(refund, "cancel").status_code == 404
    assert returning.refund().state == "awaiting_return"


def test_the_fragment_says_nothing_while_nothing_changes_and_stops_in_the_end(customer: Customer) -> None:
    customer.confirm(A=1)
    refund = customer.refund()
    page = customer.get(f"/requests/{refund.number}")
    seen, can = page.context["seen"], page.context["asked"].can
    assert 'hx-trigger="every 2s"' in page.content.decode()
    live = f"/requests/{refund.number}/live"
    assert customer.get(f"{live}?seen={seen}&can={can}").status_code == 204
    moved = customer.get(f"{live}?seen=older&can={can}")
    assert (moved.status_code, "We have your request" in text_of(moved)) == (200, True)
    assert 'id="acts"' not in moved.content.decode()
    Engine().run(refund)
    decided = customer.get(f"{live}?seen={seen}&can={can}").content.decode()
    assert 'id="acts"' in decided and "/cancel" not in decided
    ended = customer.get(f"{live}?seen={seen}&can=")
    assert "hx-get" not in ended.content.decode() and "Your refund has been sent" in text_of(ended)


def test_a_form_of_a_page_that_is_only_looked_at_leads_back(customer: Customer) -> None:
    customer.confirm(A=1)
    refund = customer.refund()
    looked = customer.get(f"/refunds/{refund.number}/cancel")
    assert (looked.status_code, looked.headers["Location"][-5:]) == (302, f"RF-R{refund.pk}"[-5:])
    assert customer.get("/refund/confirm").status_code == 302
    assert hidden(customer.get(f"/requests/{refund.number}"), "/cancel")["form_token"]
