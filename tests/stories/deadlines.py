"""The clocks of the policy: which refund waits where, and what everybody can see once its time is over."""

from collections.abc import Callable
from dataclasses import dataclass

from refunds.states import RefundState
from tests.stories import waits
from tests.stories.road import Road
from tests.stories.waits import Begin

DAY = 24 * 3600
Fired = Callable[[Road], bool]


@dataclass(frozen=True)
class Clock:
    """`rule` of the policy, in `state`, of a refund that was brought there by `begin`: it `fires` after `seconds`, or
    within `grace` more: who has whole days has the rest of the last one too."""

    rule: str
    state: RefundState
    begin: Begin
    seconds: int
    fires: Fired
    grace: int = 0

    @property
    def latest(self) -> int:
        return self.seconds + self.grace


def told(template: str) -> Fired:
    return lambda road: template in road.mails()


def case_of(kind: str) -> Fired:
    return lambda road: kind in road.incidents()


def becomes(state: str, *, mail: str) -> Fired:
    return lambda road: road.case.look()["status"]["state"] == state and mail in road.mails()


def back_to_a_person(road: Road) -> bool:
    return road.case.look()["status"]["state"] == "in_review" and road.incidents() == ["return_failed"]


def counted_as_left(road: Road) -> bool:
    status = road.case.look()["status"]
    return (status["state"], status["route"]) == ("in_review", "intercept") and not road.case.order.sends()


def counted_as_delivered(road: Road) -> bool:
    return bool(road.case.look()["status"]["route"] == "pickup")


def stands(road: Road) -> bool:
    """Nobody can contest it any more."""
    return "contest" not in road.case.look()["allowed_actions"]


def back_in_review(road: Road) -> bool:
    return bool(road.case.look()["status"]["state"] == "in_review")


def resumed(road: Road) -> bool:
    status = road.case.look()["status"]
    return status["hold"] is None and "refund.resumed" in [event["type"] for event in road.case.trail()]


S = RefundState
CLOCKS = {
    "a stop nobody confirms": Clock(
        "confirm_seconds", S.REQUESTED, waits.stopped_for_all_anybody_says, DAY, counted_as_left
    ),
    "a slow refund is acknowledged": Clock(
        "acknowledge_after_seconds", S.REFUNDING, waits.paid_slowly, 60, told("received")
    ),
    "a gateway that takes too long": Clock(
        "pending_incident_seconds", S.REFUNDING, waits.paid_slowly, 7 * DAY, case_of("outcome_pending")
    ),
    "a review nobody ends": Clock(
        "review_seconds", S.IN_REVIEW, waits.reviewed_by_nobody, 2 * DAY, case_of("review_overdue")
    ),
    "a review that the policy ends": Clock(
        "review_seconds",
        S.IN_REVIEW,
        waits.reviewed_by_nobody_under_a_policy_that_rejects,
        2 * DAY,
        becomes("rejected", mail="rejected"),
    ),
    "a hold with an end": Clock("hold_seconds", S.IN_REVIEW, waits.held_for_a_day, DAY, resumed),
    "a review that was held": Clock(
        "review_seconds", S.IN_REVIEW, waits.held_for_a_day, 3 * DAY, case_of("review_overdue")
    ),
    "a customer is reminded": Clock(
        "remind_before_seconds",
        S.AWAITING_RETURN,
        waits.labelled_and_never_handed_in,
        11 * DAY,
        told("reminder"),
        grace=DAY,
    ),
    "goods that were sent and never arrive": Clock(
        "return_seconds", S.AWAITING_RETURN, waits.posted_by_nobody, 14 * DAY, back_to_a_person, grace=DAY
    ),
    "the longest hold": Clock("hold_seconds", S.AWAITING_RETURN, waits.posted_by_nobody_and_held, 30 * DAY, resumed),
    "goods that never arrive after a hold": Clock(
        "return_seconds", S.AWAITING_RETURN, waits.posted_by_nobody_and_held, 44 * DAY, back_to_a_person, grace=DAY
    ),
    "no courier to be had": Clock(
        "courier_patience_seconds", S.AWAITING_RETURN, waits.fetched_by_nobody, 2 * DAY, back_to_a_person
    ),
    "a label nobody uses": Clock(
        "return_seconds",
        S.AWAITING_RETURN,
        waits.labelled_and_never_handed_in,
        14 * DAY,
        becomes("expired", mail="expired"),
        grace=DAY,
    ),
    "a courier who never comes": Clock(
        "missed_after_seconds", S.AWAITING_RETURN, waits.booked_and_never_there, DAY, told("pickup_missed"), grace=DAY
    ),
    "a courier who never arrives": Clock(
        "transit_seconds", S.AWAITING_RETURN, waits.collected_and_never_there, 14 * DAY, back_to_a_person, grace=DAY
    ),
    "a parcel that was posted and never arrives": Clock(
        "transit_seconds", S.AWAITING_RETURN, waits.posted_and_never_there, 14 * DAY, back_to_a_person, grace=DAY
    ),
    "a carrier who never brings it back": Clock(
        "return_seconds", S.AWAITING_RETURN, waits.stopped_by_nobody, 14 * DAY, back_to_a_person, grace=DAY
    ),
    "an offer nobody answers": Clock(
        "offer_seconds",
        S.OFFERED,
        waits.offered_and_never_answered,
        7 * DAY,
        becomes("in_review", mail="offer_expired"),
        grace=DAY,
    ),
    "a question nobody answers": Clock(
        "answer_seconds", S.IN_REVIEW, waits.asked_and_never_answered, 5 * DAY, resumed, grace=DAY
    ),
    "a rejection nobody contests": Clock(
        "contest_seconds", S.REJECTED, waits.rejected_and_never_contested, 7 * DAY, stands, grace=DAY
    ),
    "a delivery nobody proves": Clock(
        "proof_seconds", S.IN_REVIEW, waits.delivered_and_not_received, 5 * DAY, case_of("proof_missing")
    ),
    "a parcel of which no carrier speaks": Clock(
        "delivered_after_seconds", S.IN_REVIEW, waits.sent_and_never_heard_of, 21 * DAY, counted_as_delivered
    ),
    "another one that nobody sends": Clock(
        "replacement_seconds",
        S.REFUNDING,
        waits.replaced_by_nothing,
        7 * DAY,
        becomes("refunded", mail="refunded"),
    ),
    "a second person who never agrees": Clock(
        "second_approval_seconds",
        S.REFUNDING,
        waits.approved_by_one_person_alone,
        7 * DAY,
        back_in_review,
    ),
    "a bank that never decides": Clock(
        "dispute_seconds", S.REFUNDING, waits.disputed_for_ever, 180 * DAY, becomes("failed", mail="failed")
    ),
    "money that nobody captures": Clock(
        "capture_seconds", S.REFUNDING, waits.held_and_never_captured, 31 * DAY, becomes("failed", mail="failed")
    ),
    "an inspection nobody makes": Clock(
        "inspect_seconds", S.INSPECTING, waits.inspected_by_nobody, 7 * DAY, becomes("refunded", mail="refunded")
    ),
    "a hold of the warehouse": Clock(
        "hold_seconds", S.INSPECTING, waits.inspected_by_nobody_and_held, 3 * DAY, resumed
    ),
    "an inspection that was held": Clock(
        "inspect_seconds",
        S.INSPECTING,
        waits.inspected_by_nobody_and_held,
        10 * DAY,
        becomes("refunded", mail="refunded"),
    ),
}
