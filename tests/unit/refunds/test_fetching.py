"""What a courier's answer means: positive ones count always, negative ones for their attempt, absence when late."""

from datetime import datetime, timedelta

import pytest

from refunds.calls import CallPhase, CallState
from refunds.fetching import Verdict, heard, judge_done, judge_found, judge_tracked
from refunds.judging import Attempt
from refunds.parcels import PickupView
from refunds.states import PickupState
from tests.unit.refunds.shorthand import CAN_BE_ASKED, FIRST_SENT, TIMING, replace, second
from workers.ports import NotSent, ParcelFact, ParcelsFound, ParcelStatus, Refused, Unknown

SENT = CallState(CallPhase.SENT, "book", 1, sent_at=FIRST_SENT, answer_due_at=second(10))
UNKNOWN = replace(SENT, call=CallPhase.UNKNOWN)
IDLE = CallState(attempt=1)
NOW = second(30)


def fact(text: str, at: float = 20) -> ParcelFact:
    """ "W1 booked"."""
    waybill, status = text.split()
    return ParcelFact("RF-1-P1", waybill, ParcelStatus(status), second(at))


def found(*texts: str) -> ParcelsFound:
    return ParcelsFound(tuple(fact(text, at) for at, text in enumerate(texts)))


def of(*, attempt: int = 1, asked_at: datetime = NOW) -> Attempt:
    return Attempt(attempt, CallState(), asked_at)


def pickup(state: str, call: CallState, waybill: str = "") -> PickupView:
    return PickupView("RF-1-P1", PickupState(state), call, CAN_BE_ASKED, FIRST_SENT, waybill)


def shown(verdict: Verdict) -> str:
    """Call, fact, surplus."""
    said = f"{verdict.fact.waybill} {verdict.fact.status}" if verdict.fact else "-"
    surplus = ",".join(f.waybill for f in verdict.surplus) or "-"
    return f"{verdict.call.call} | {said} | {surplus}"


@pytest.mark.parametrize(
    ("call", "answer", "attempt", "phase", "refusal"),
    [
        (SENT, fact("W1 booked"), 1, "idle", ""),
        (UNKNOWN, fact("W1 booked"), 1, "idle", ""),
        (IDLE, fact("W1 booked"), 1, "idle", ""),
        (SENT, Unknown("time-out"), 1, "unknown", ""),
        (IDLE, Unknown("time-out"), 1, "idle", ""),
        (SENT, NotSent("refused"), 1, "idle", ""),
        (SENT, Refused("rate_limited", retryable=True), 1, "idle", ""),
        (SENT, Refused("none_available"), 1, "idle", "none_available"),
        # Negative, and of an earlier attempt or of one that is answered: it says nothing.
        (replace(SENT, attempt=2), Refused("none_available"), 1, "sent", ""),
        (replace(UNKNOWN, attempt=2), Unknown("late"), 1, "unknown", ""),
        (IDLE, Refused("none_available"), 1, "idle", ""),
    ],
)
def test_an_answer_to_what_was_to_be_done(call, answer, attempt: int, phase: str, refusal: str) -> None:
    verdict = judge_done(call, answer, of=of(attempt=attempt), now=NOW, timing=TIMING)
    assert (verdict.call.call, verdict.refusal, verdict.next_key) == (phase, refusal, bool(refusal))


def test_a_repeat_that_was_not_sent_leaves_the_first_unanswered() -> None:
    again = replace(SENT, attempt=2)
    verdict = judge_done(again, NotSent("busy"), of=Attempt(2, UNKNOWN, NOW), now=NOW, timing=TIMING)
    assert verdict.call.call is CallPhase.UNKNOWN


@pytest.mark.parametrize(
    ("held", "answer", "asked_at", "expected"),
    [
        (pickup("intended", UNKNOWN), found("W1 booked"), 30, "idle | W1 booked | -"),
        (pickup("intended", UNKNOWN), found("W1 collected"), 11, "idle | W1 collected | -"),
        (pickup("intended", UNKNOWN), found("W1 booked", "W2 booked"), 30, "idle | W1 booked | W2"),
        (pickup("intended", UNKNOWN), found("W1 cancelled", "W2 booked"), 30, "idle | W2 booked | -"),
        # Absent counts when asked after the answer's due time and the settle time.
        (pickup("intended", UNKNOWN), found(), 14, "unknown | - | -"),
        (pickup("intended", UNKNOWN), found(), 15, "idle | - | -"),
        (pickup("intended", UNKNOWN), found("W1 cancelled"), 15, "idle | - | -"),
        # To be booked again: the visit that was missed is no answer.
        (pickup("intended", UNKNOWN, "W1"), found("W1 missed"), 15, "idle | - | -"),
        (pickup("intended", UNKNOWN, "W1"), found("W1 missed", "W2 booked"), 15, "idle | W2 booked | -"),
        # To be called off: still booked means that it was not heard.
        (pickup("booked", replace(UNKNOWN, call_kind="cancel"), "W1"), found("W1 booked"), 14, "unknown | - | -"),
        (pickup("booked", replace(UNKNOWN, call_kind="cancel"), "W1"), found("W1 booked"), 15, "idle | - | -"),
        (
            pickup("booked", replace(UNKNOWN, call_kind="cancel"), "W1"),
            found("W1 cancelled"),
            11,
            "idle | W1 cancelled | -",
        ),
        (
            pickup("booked", replace(UNKNOWN, call_kind="cancel"), "W1"),
            found("W1 collected"),
            11,
            "idle | W1 collected | -",
        ),
        (pickup("intended", UNKNOWN), Unknown("down"), 30, "unknown | - | -"),
        (pickup("intended", UNKNOWN), NotSent("down"), 30, "unknown | - | -"),
    ],
)
def test_what_the_courier_holds_under_our_number(held: PickupView, answer, asked_at: float, expected: str) -> None:
    verdict = judge_found(held, answer, of=of(asked_at=second(asked_at)), now=NOW, timing=TIMING)
    assert shown(verdict) == expected


def test_tracking_takes_the_newest_word_by_the_carriers_time() -> None:
    told = ParcelsFound((fact("T delivered", 20), fact("T returning", 10)))
    verdict = judge_tracked(IDLE, told, now=NOW, timing=TIMING)
    assert shown(verdict) == "idle | T delivered | -"
    assert verdict.call.retry_at == NOW + timedelta(seconds=TIMING.track_seconds)


def test_of_words_of_one_moment_the_one_said_last_counts() -> None:
    told = ParcelsFound((fact("T collected", 20), fact("T received", 20)))
    assert shown(judge_tracked(IDLE, told, now=NOW, timing=TIMING)) == "idle | T received | -"


@pytest.mark.parametrize(("said_at", "counts_as"), [(10, 10), (30, 30), (31, 30), (10**8, 30)])
def test_nothing_has_happened_later_than_it_is_heard(said_at: float, counts_as: float) -> None:
    assert heard(fact("W1 booked", said_at), second(30)) == fact("W1 booked", counts_as)


@pytest.mark.parametrize("answer", [found("W1 booked"), Unknown("down"), NotSent("down")])
def test_tracking_answers_no_call_that_left_meanwhile(answer) -> None:
    assert judge_tracked(SENT, answer, now=NOW, timing=TIMING).call == SENT
