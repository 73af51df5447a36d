"""The tuned chain does the whole work, from its own door on: what it says is done stands the benchmark's proof."""

import json

import pytest
from django.db import connection
from django.http import HttpRequest
from django.test import RequestFactory

from benchmarks.peers import bare as bare_table
from benchmarks.peers import chain, chain_requests, tuned_tasks, web
from benchmarks.peers.chain_messages import pending_messages
from benchmarks.proof import prove
from benchmarks.stock import stored_orders
from refunds.models import Notification, Refund
from refunds.selectors.message_facts import message_facts
from tests.factories import make_order, request

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tasks(monkeypatch) -> list[int]:
    """The refunds that a worker was told of."""
    chain_requests.policy_version_id.cache_clear()
    sent: list[int] = []
    monkeypatch.setattr(web.app, "send_task", lambda name, arguments: sent.extend(arguments))
    return sent


def asked(number: str) -> HttpRequest:
    return RequestFactory().post(f"/x/{number}", json.dumps({"lines": "all"}), content_type="application/json")


def test_what_the_tuned_chain_is_asked_it_refunds_and_tells(tasks, monkeypatch) -> None:
    monkeypatch.setattr(tuned_tasks.tell_customer, "delay", tuned_tasks.tell_customer)
    for number in stored_orders(3):
        assert web.tuned(asked(number), number).status_code == 202
    assert tasks == list(Refund.objects.order_by("pk").values_list("pk", flat=True))
    for refund_id in tasks:
        tuned_tasks.refund_order(refund_id)
    prove(tasks)


def test_its_messages_tell_what_ours_do(tasks, monkeypatch) -> None:
    monkeypatch.setattr(tuned_tasks.tell_customer, "delay", lambda refund_id: None)
    [number] = stored_orders(1)
    web.tuned(asked(number), number)
    tuned_tasks.refund_order(tasks[0])
    theirs = {message.id: facts for message, facts in pending_messages(tasks[0])}
    assert len(theirs) == 2
    assert theirs == message_facts(Notification.objects.all())


def test_its_tasks_take_few_statements(tasks, monkeypatch, django_assert_num_queries) -> None:
    """BEGIN and COMMIT among them: six to claim, eleven to record, seven to tell."""
    monkeypatch.setattr(tuned_tasks.tell_customer, "delay", tuned_tasks.tell_customer)
    [number] = stored_orders(1)
    web.tuned(asked(number), number)
    with django_assert_num_queries(24):
        tuned_tasks.refund_order(tasks[0])


def test_its_request_writes_what_ours_does(tasks) -> None:
    number = make_order(2500, 1500).number
    web.tuned(asked(number), number)
    request(make_order(2500, 1500))
    theirs, ours = Refund.objects.select_related("order").order_by("pk")
    assert rows_of(theirs) == rows_of(ours)


def test_its_request_takes_few_statements(tasks, django_assert_num_queries) -> None:
    first, second = stored_orders(2)
    web.tuned(asked(first), first)
    with django_assert_num_queries(13):  # BEGIN and COMMIT among them
        web.tuned(asked(second), second)


def rows_of(refund: Refund) -> dict[str, list[tuple[object, ...]]]:
    """What both must say of an order alike."""
    order = refund.order
    of_refund = ("state", "route", "amount_minor", "currency", "event_seq", "resource_version")
    of_lines = ("held", "withheld", "refunded_minor", "refunded", "refunded_unshipped")
    of_money = ("authorized_minor", "reserved_minor", "refunded_minor")
    return {
        "order": [(order.state, order.refund_state, order.resource_version)],
        "refund": [tuple(getattr(refund, name) for name in of_refund)],
        "lines": list(order.lines.order_by("position").values_list(*of_lines)),
        "units": list(refund.lines.order_by("pk").values_list("quantity", "announced", "amount_minor")),
        "shares": list(order.shares.values_list(*of_money)),
        "movements": list(refund.gateway_refunds.values_list("state", "call", "kind", "amount_minor", "currency")),
        "ledger": list(order.shares.get().entries.values_list("kind", "amount_minor")),
        "events": list(refund.events.order_by("seq").values_list("seq", "kind")),
    }


def test_the_bare_view_inserts_a_row() -> None:
    bare_table.make_table()
    bare_table.make_table()
    assert web.bare(asked("O-1"), "O-1").status_code == 202
    assert list(bare_table.BareRequest.objects.values_list("order", "lines", "state")) == [("O-1", "all", "requested")]


def test_what_carries_a_chain_on_is_told_in_the_transaction_that_makes_it_due(tasks) -> None:
    """An extra's queue is in the same database: what is rolled back was never queued."""
    told: list[tuple[str, bool]] = []

    def note(refund_id: int) -> None:
        told.append((Refund.objects.get(pk=refund_id).state, connection.in_atomic_block))

    [number] = stored_orders(1)
    refund = chain_requests.request_refund(number, then=note)
    chain.pay(refund.pk, then=note)
    chain.tell(refund.pk)
    assert told == [("requested", True), ("refunded", True)]
    prove([refund.pk])


def test_a_request_that_cannot_be_queued_leaves_nothing(tasks) -> None:
    def refuse(refund_id: int) -> None:
        raise RuntimeError("no queue")

    [number] = stored_orders(1)
    with pytest.raises(RuntimeError):
        chain_requests.request_refund(number, then=refuse)
    assert not Refund.objects.exists()
