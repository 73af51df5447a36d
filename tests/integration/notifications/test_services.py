"""T1 and T2 of messages on real rows."""

import pytest

from orders.models import Order
from refunds.models import Incident, Notification
from refunds.services.notifications import (
    Providers,
    begin_notifications,
    postpone_notification,
    record_deliveries,
)
from tests.integration.notifications.owed import OPEN, answer, claim, claim_one, make_case, make_refund, pass_time
from workers.ports import Delivered, Delivery, NotSent, Refused, Unknown

pytestmark = pytest.mark.django_db


def fresh(row: Notification) -> Notification:
    return Notification.objects.get(pk=row.pk)


def test_claim_is_written_before_anything_leaves() -> None:
    row = make_case(locale="zh-CN").owe()
    claimed = claim_one(row)
    row = fresh(row)
    assert (row.call, row.call_kind, row.attempt, row.state) == ("sent", "email", 1, "pending")
    assert (row.recipient, row.language) == ("1001@customer.example", "zh-hans")
    assert row.sent_at is not None and row.next_reconcile_at == row.answer_due_at
    assert claimed.attempt == 1


def test_claim_carries_what_the_message_tells() -> None:
    case = make_case()
    facts = claim_one(case.owe("refunded")).facts
    assert facts.identity == f"{case.refund.id}.1.email@rftest.127.0.0.1"
    assert (facts.request, facts.refund) == (f"RFTEST-R{case.refund.id}", case.refund.number)
    assert (facts.order, facts.amount_minor) == ("1001", 3000)
    assert (facts.moved.original_minor, facts.moved.payments) == (3000, 1)
    assert [(item.quantity, item.name) for item in facts.items] == [(1, "Walnut desk"), (2, "Desk lamp")]
    assert (facts.part, facts.parts) == (1, 1)


def test_money_moved_outside_is_told_apart() -> None:
    facts = claim_one(make_case(movement="external").owe("refunded")).facts
    assert (facts.moved.original_minor, facts.moved.agreed_minor) == (0, 3000)


def test_refunds_of_one_request_are_its_parts_in_one_thread() -> None:
    case = make_case()
    second = make_refund(case.order, request_id=case.refund.request_id)
    rows = [case.owe(), case.owe()]
    Notification.objects.filter(pk=rows[1].pk).update(refund=second)
    facts = [claimed.facts for claimed in claim(*rows)]
    assert [(f.part, f.parts) for f in facts] == [(1, 2), (2, 2)]
    assert facts[0].thread == facts[1].thread and facts[0].request == facts[1].request


def test_delivered_message_is_sent_and_never_again() -> None:
    row = make_case().owe()
    assert answer(row, Delivered("provider-7")) is None
    row = fresh(row)
    assert (row.state, row.call, row.provider_id, row.next_reconcile_at) == ("sent", "idle", "provider-7", None)
    assert row.sent_to_provider_at is not None
    begun = begin_notifications([row.id], providers=OPEN)
    assert (begun.claims, begun.ended) == ([], {row.id})


def test_message_under_way_is_not_claimed_twice() -> None:
    row = make_case().owe()
    claim(row)
    begun = begin_notifications([row.id], providers=OPEN)
    assert begun.claims == [] and 0 < begun.later[row.id] <= 10


def test_message_whose_sender_died_is_sent_again_under_its_identity() -> None:
    row = make_case().owe()
    first = claim_one(row)
    pass_time(seconds=11)
    second = claim_one(row)
    assert (first.attempt, second.attempt) == (1, 2)
    assert first.facts.identity == second.facts.identity


@pytest.mark.parametrize(
    "reply, call",
    [
        (NotSent("connection refused"), "idle"),
        (Unknown("timed out"), "unknown"),
        (Refused("smtp_451", "greylisted", retryable=True), "idle"),
    ],
)
def test_message_that_did_not_get_through_backs_off_from_ten_seconds_to_ten_minutes(reply: Delivery, call: str) -> None:
    row = make_case().owe()
    waits = []
    for _ in range(9):
        waits.append(round(answer(row, reply) or 0))
        pass_time(seconds=waits[-1] + 1)
    assert waits == [10, 20, 40, 80, 160, 320, 600, 600, 600]
    row = fresh(row)
    assert (row.state, row.call, row.failures) == ("pending", call, 9)
    assert row.next_reconcile_at == row.retry_at


def test_message_is_left_alone_until_its_retry() -> None:
    row = make_case().owe()
    answer(row, NotSent("connection refused"))
    begun = begin_notifications([row.id], providers=OPEN)
    assert begun.claims == [] and 8 < begun.later[row.id] <= 10


def test_unsent_repeat_of_an_unknown_message_stays_unknown() -> None:
    row = make_case().owe()
    answer(row, Unknown("timed out"))
    pass_time(seconds=15)
    answer(row, NotSent("connection refused"))
    row = fresh(row)
    assert (row.call, row.failures) == ("unknown", 2)


def test_refused_message_fails_and_a_person_is_asked() -> None:
    case = make_case()
    row = case.owe()
    assert answer(row, Refused("smtp_550", "no such user")) is None
    row = fresh(row)
    assert (row.state, row.next_reconcile_at, row.last_error) == ("failed", None, "smtp_550: no such user")
    incident = Incident.objects.get()
    assert (incident.kind, incident.refund, incident.order) == ("message_refused", case.refund, case.order)
    assert incident.data == {"notification": row.id, "channel": "email", "template": "received", "attempts": 1}


def test_second_refusal_adds_to_no_open_incident() -> None:
    case = make_case()
    rows = [case.owe(), case.owe("refunded")]
    record_deliveries([(claimed, Refused("smtp_550")) for claimed in claim(*rows)])
    assert [row.state for row in Notification.objects.all()] == ["failed", "failed"]
    assert Incident.objects.count() == 1


def test_message_is_given_up_after_a_day_of_trials() -> None:
    row = make_case().owe()
    for _ in range(5):
        answer(row, NotSent("connection refused"))
        pass_time(hours=5)
    row = fresh(row)
    assert row.state == "pending"
    answer(row, NotSent("connection refused"))
    row = fresh(row)
    assert row.state == "failed" and Incident.objects.get().kind == "message_undelivered"


def test_message_found_old_after_our_own_down_time_still_gets_its_trials() -> None:
    row = make_case().owe()
    pass_time(hours=72)
    assert answer(row, NotSent("connection refused")) is not None
    row = fresh(row)
    assert row.state == "pending"


@pytest.mark.parametrize("reply", [Refused("smtp_550"), Unknown("timed out"), NotSent("refused")])
def test_late_bad_news_of_an_earlier_attempt_changes_nothing(reply: Delivery) -> None:
    row = make_case().owe()
    first = claim_one(row)
    pass_time(seconds=11)
    claim(row)
    before = Notification.objects.values().get(pk=row.pk)
    record_deliveries([(first, reply)])
    assert Notification.objects.values().get(pk=row.pk) == before


@pytest.mark.parametrize("meanwhile", ["claimed_again", "given_up"])
def test_late_good_news_always_counts(meanwhile: str) -> None:
    row = make_case().owe()
    first = claim_one(row)
    pass_time(seconds=11)
    second = claim_one(row)
    if meanwhile == "given_up":
        record_deliveries([(second, Refused("smtp_550"))])
    assert record_deliveries([(first, Delivered("late"))]) == {row.id: None}
    row = fresh(row)
    assert (row.state, row.provider_id) == ("sent", "late")


@pytest.mark.parametrize(
    "customer, channel",
    [
        ({"email": ""}, "email"),
        ({"email": "ada@customer.example\r\nBcc: all@shop.example"}, "email"),
        ({"phone": ""}, "sms"),
    ],
)
def test_message_to_nobody_is_given_up(customer: dict[str, str], channel: str) -> None:
    row = make_case(**customer).owe(channel=channel)
    begun = begin_notifications([row.id], providers=OPEN)
    row = fresh(row)
    assert (begun.claims, begun.ended) == ([], {row.id})
    assert (row.state, row.last_error, row.attempt) == ("failed", "no_recipient", 0)


def test_channel_without_a_provider_is_given_up_without_bothering_anybody() -> None:
    row = make_case().owe(channel="sms")
    begin_notifications([row.id], providers=Providers(["email"], lambda channel: True))
    row = fresh(row)
    assert (row.state, row.last_error, Incident.objects.count()) == ("failed", "no_provider", 0)


def test_recipient_is_the_one_the_order_has_when_it_is_claimed() -> None:
    case = make_case()
    row = case.owe()
    Order.objects.filter(pk=case.order.pk).update(customer_email="new@customer.example")
    assert claim_one(row).facts.to == "new@customer.example"


def test_channel_without_room_keeps_its_messages_waiting() -> None:
    case = make_case()
    mail, sms = case.owe(), case.owe(channel="sms")
    begun = begin_notifications(
        [mail.id, sms.id], providers=Providers(["email", "sms"], lambda channel: channel == "sms")
    )
    assert begun.full == {mail.id: "email"}
    assert [claimed.notification_id for claimed in begun.claims] == [sms.id]
    mail = fresh(mail)
    assert (mail.call, mail.attempt) == ("idle", 0)


def test_unknown_ids_are_done() -> None:
    assert begin_notifications([999_999], providers=OPEN).ended == {999_999}


def test_sync_that_raised_moves_the_clock() -> None:
    row = make_case().owe()
    before = row.next_reconcile_at
    postpone_notification(row.id, seconds=60, reason="x" * 300)
    row = fresh(row)
    assert (row.next_reconcile_at - before).total_seconds() >= 60
