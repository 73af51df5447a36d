"""`manage.py describe`: why a refund stands where it stands."""

import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from refunds.models import Incident, Refund
from refunds.records import counted
from tests.integration.engine.conftest import Engine
from tests.integration.engine.money import asked_for, only_send
from workers import bootstrap
from workers.ports import Unknown
from workers.workqueue import error

pytestmark = pytest.mark.django_db


def describe(subject: str) -> str:
    out = StringIO()
    call_command("describe", subject, stdout=out)
    return out.getvalue()


def refund_text(refund: Refund) -> str:
    return describe(f"refund/{refund.number}")


def value(text: str, name: str) -> str:
    found = re.search(rf"^{name}: +(.+)$", text, re.MULTILINE)
    assert found, text
    return found[1]


def rows(text: str, title: str) -> list[list[str]]:
    """The cells of a table, without its header."""
    found = re.search(rf"^{title}:\n((?:  .*\n)+)", text, re.MULTILINE)
    assert found, text
    return [re.split(r" {2,}", line.strip()) for line in found[1].splitlines()[2:]]


def test_spec_state_and_sheet_are_told() -> None:
    refund = asked_for(1000, 500)
    text = refund_text(refund)
    assert value(text, "Name") == refund.number
    assert value(text, "State") == "requested"
    assert value(text, "Amount") == "€15.00"
    assert value(text, "Generation") == "1 (observed 0)"
    assert rows(text, "Lines")[0][2:] == ["1", "1", "unshipped", "€10.00"]
    assert rows(text, "Sheet")[-1] == ["total", "€15.00"]


def test_an_effect_of_unknown_outcome_is_told_with_its_attempt_and_the_next_look() -> None:
    refund, engine = asked_for(1000), Engine()
    engine.answer(only_send(engine, refund), Unknown("time-out after 10 s"))
    text = refund_text(refund)
    kind, number, state, call, attempt, *_rest, last_error = rows(text, "Effects")[0]
    assert (kind, number, state, call, attempt) == ("money", f"{refund.number}-1", "intended", "unknown", "1")
    assert last_error == "time-out after 10 s"
    assert re.search(r"Z \(\d+s ago\)", value(text, "Next look")), "at once: to ask"
    assert "OutcomeUnknown" in [row[0] for row in rows(text, "Conditions")]


def test_like_events_are_counted() -> None:
    """The rows are append-only, and folded when read. Controller check 75; upstream: TestEventCorrelator."""
    refund = asked_for(1000)
    with connection.cursor() as cursor:
        for seq in range(50, 53):
            cursor.execute(
                "INSERT INTO refunds_refundevent (refund_id, seq, kind, data, actor, role, occurred_at, hash)"
                " VALUES (%s, %s, 'refund.looked', '{}', 'system', 'system', refundry_now() - %s::interval, '')",
                [refund.pk, seq, f"{60 - seq} minutes"],
            )
    (folded,) = [row for row in rows(refund_text(refund), "Events") if "refund.looked" in row]
    assert folded[0] == "8m0s (x3 over 10m)"


def test_the_place_in_the_queue_is_told() -> None:
    refund, queue = asked_for(1000), bootstrap.workqueue()
    key = str(refund.pk)
    assert value(refund_text(refund), "Queue") == f"refunds/{key}: not in the queue"
    queue.add("refunds", ["0", key])
    assert value(refund_text(refund), "Queue") == f"refunds/{key}: waits in the high band, place 2"
    leases = queue.get("pump-1", 2).leases
    assert "held by pump pump-1 for 0." in value(refund_text(refund), "Queue")
    queue.finish([(lease, error(ValueError())) for lease in leases])
    assert re.search(r"put off, in line in \d.\ds; failed 1 times in a row", value(refund_text(refund), "Queue"))


def test_open_cases_are_told() -> None:
    refund = asked_for(1000)
    Incident.objects.create(kind="excess", refund=refund, opened_at=refund.created_at, due_at=refund.created_at)
    assert rows(refund_text(refund), "Incidents")[0][::2] == ["excess", "open"]


def test_a_description_costs_a_constant_number_of_statements() -> None:
    def cost(refund: Refund) -> int:
        with CaptureQueriesContext(connection) as queries, counted() as statements:
            refund_text(refund)
        return len(queries) + len(statements)

    engine, many = Engine(), asked_for(100, 200, 300)
    engine.run(many)
    assert cost(asked_for(1000)) == cost(many) <= 10


def test_no_customer_is_named() -> None:
    refund = asked_for(1000, customer_email="jane@example.org", customer_name="Jane Roe", customer_phone="+4915112345")
    Refund.objects.filter(pk=refund.pk).update(note="call Jane", pickup_address={"street": "Elm 5"})
    text = refund_text(refund) + describe(f"order/{refund.order.number}")
    assert not [word for word in ("jane", "Jane", "Roe", "4915112345", "Elm") if word in text]


def test_without_redis_the_rest_is_told(settings: Any) -> None:
    refund = asked_for(1000)
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    bootstrap.impatient_workqueue.cache_clear()
    assert "Redis does not answer" in value(refund_text(refund), "Queue")


def test_an_order_is_told_with_its_refunds() -> None:
    refund = asked_for(1000)
    text = describe(f"order/{refund.order.number}")
    assert (value(text, "State"), value(text, "Refund state")) == ("paid", "refund_requested")
    assert rows(text, "Refunds")[0][:2] == [refund.number, "requested"]


@pytest.mark.parametrize("subject", ["refund/RF-999999", "refund/'; --", "order/none", "pickup/1", "refund/", "RF-1"])
def test_what_is_not_there_is_an_error_that_names_it(subject: str) -> None:
    with pytest.raises(CommandError, match=re.escape(subject.partition("/")[2] or subject)):
        describe(subject)
