"""A gateway where a failed key is final: each retry leaves one more failed refund under the movement's number."""

import pytest

from refunds.models import LedgerEntry, Refund
from refunds.services.acts import retry
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import (
    TIMED_OUT,
    asked_for,
    gateway_holds,
    incidents,
    messages,
    movement,
    only_ask,
    only_send,
    standing,
    sums,
    webhook,
)
from tests.integration.engine.returns import FINANCE, pass_time, target
from tests.integration.engine.test_return_ends import DAYS
from workers.ports import Capabilities

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]


def failed_twice(engine: Engine) -> Refund:
    """The gateway has the failed refunds a and b under the number, and the third key is out."""
    refund = asked_for()
    for gateway_refund_id in "ab":
        out = only_send(engine, refund)
        engine.answer(out, accepted(out.movement, "failed", gateway_refund_id))
        retry(target(refund), actor=FINANCE)
    return refund


@pytest.fixture
def engine() -> Engine:
    return Engine(Capabilities(failed_key_is_final=True))


def test_the_failures_of_all_earlier_keys_read_as_absent(engine: Engine) -> None:
    refund = failed_twice(engine)
    third = only_send(engine, refund)
    engine.answer(third, TIMED_OUT)
    pass_time(DAYS)
    engine.answer(only_ask(engine, refund), gateway_holds(third, "failed", "failed"))
    assert standing(refund) == "refunding, intended, idle"
    again = only_send(engine, refund)
    assert again.movement.idempotency_key == third.movement.idempotency_key == f"{movement(refund).number}.2"
    engine.answer(again, accepted(again.movement, "succeeded", "c"))
    assert (standing(refund), sums(refund)) == ("refunded, succeeded, idle", (0, 1000))
    assert (movement(refund).failed_ids, movement(refund).gateway_refund_id) == (["a", "b"], "c")


def test_old_words_of_earlier_keys_book_nothing_and_ask_nothing(engine: Engine) -> None:
    refund = failed_twice(engine)
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "succeeded", "c"))
    for gateway_refund_id in "ab":
        webhook(refund, "pending", gateway_refund_id)
    told = messages(refund)
    assert (engine.begin(refund).calls, sums(refund)) == ([], (0, 1000))
    assert (messages(refund), incidents(refund)) == (told, [])


def test_an_earlier_key_that_succeeds_after_all_is_booked_and_taken_back_as_it_is(engine: Engine) -> None:
    refund = failed_twice(engine)
    out = only_send(engine, refund)
    engine.answer(out, accepted(out.movement, "succeeded", "c"))
    for status, entry in (("succeeded", "refund"), ("failed", "reversal")):
        webhook(refund, status, "a")
        engine.answer(only_ask(engine, refund), gateway_holds(out, status, "failed", "succeeded"))
        assert LedgerEntry.objects.filter(reference="a").latest("id").kind == entry
    assert (standing(refund), sums(refund)) == ("refunded, succeeded, idle", (0, 1000))
