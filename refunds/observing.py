"""The conditions of a refund as it stands: what people and clients are shown of why it waits. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

from refunds import calls, movements
from refunds.approving import CONDITIONS
from refunds.conditions import FALSE, TRUE, UNKNOWN, Condition
from refunds.movements import FUNDS_TAKEN, NEVER_SENT
from refunds.parcels import HANDED_OVER, PickupView, counting
from refunds.paying import waits_for_hand
from refunds.seen import AWAITS_REPLACEMENT, MOVED, Seen
from refunds.states import FINAL_STATES, MovementState, PickupState, RefundState, Route, Stop

#: Money that moved under our number and beside what was meant, as long as a person has the case.
_ORPHANED = {
    "orphaned_refund": Condition(
        "OrphanedEffect", TRUE, "MovedAfterEnd", "Money has moved under a number of this refund, which had ended."
    ),
    "second_refund_at_gateway": Condition(
        "OrphanedEffect", TRUE, "SecondRefund", "The gateway has a second refund under a number of this refund."
    ),
}
_DOUBTED = {
    "weight_differs": Condition(
        "ParcelAsAnnounced", FALSE, "WeightDiffers", "The parcel weighs something else than was announced."
    ),
    "wrong_parcel": Condition("ParcelAsAnnounced", FALSE, "WrongParcel", "Another parcel came than was announced."),
}
_WAITS = {
    "DisputeOpen": Condition(
        "DisputeOpen",
        TRUE,
        "MoneyWithheld",
        "The customer's bank withholds the money, and decides first.",
    ),
    "AwaitingCapture": Condition(
        "AwaitingCapture", TRUE, "NotCaptured", "The money is held and was not captured: it goes back once it is."
    ),
}
_PROMISED = Condition(
    AWAITS_REPLACEMENT, TRUE, "NoOrderYet", "The customer gets another one: the shop is to state the order of it."
)
#: What money can wait for, in the order of `Seen.waits_for`: the condition, with the status in which it does.
_WAITED = {"ApprovalConformant": FALSE, "DisputeOpen": TRUE, "AwaitingCapture": TRUE, AWAITS_REPLACEMENT: TRUE}


@cache
def _reason(word: StrEnum) -> str:
    """A state or route as one CamelCase word."""
    return word.title().replace("_", "")


def known_from(stored: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """What was observed at the last look: conditions with their status."""
    return {(c["type"], c["status"]) for c in stored}


def waited_for(known: Collection[tuple[str, str]]) -> str:
    """What `Seen.waits_for` was at the last look."""
    return next((name for name, status in _WAITED.items() if (name, status) in known), "")


def observe(seen: Seen, *, now: datetime) -> Iterator[Condition]:
    """The conditions of a refund as it stands."""
    is_unanswered = any(calls.is_unanswered(m.call, now) for m in seen.movements)
    yield Condition("RouteDecided", TRUE, _reason(seen.route))
    yield _money_moved(seen, now, is_unanswered=is_unanswered)
    yield _succeeded(seen)
    yield from _of_the_stop(seen)
    yield from _of_the_goods(seen)
    yield from _of_the_money(seen)
    if seen.has_shipped_after:
        yield Condition("ShippedAfterRefund", TRUE, "LeftAllTheSame", "The goods left after their money had gone out.")
    if seen.has_delivered_after:
        message = "The goods arrived after their money had gone out."
        yield Condition("DeliveredAfterRefund", TRUE, "ArrivedAllTheSame", message)
    if is_unanswered:
        yield Condition("OutcomeUnknown", TRUE, "NoAnswer", "The gateway gave no answer; it is being asked.")
    yield from (_ORPHANED[kind] for kind in _ORPHANED if kind in seen.incidents)
    if not seen.reachable:
        yield Condition("Unreachable", TRUE, "NoContact", "The order has neither an e-mail address nor a phone number.")


def _of_the_money(seen: Seen) -> Iterator[Condition]:
    """What it waits for, or has lost."""
    if seen.awaits_credit_note:
        message = "The shop has not said yet under which number it credits this: the money waits for it."
        yield Condition("AwaitingCreditNote", TRUE, "NumberMissing", message)
    if seen.funds_taken and seen.state not in FINAL_STATES:
        message = "The payment's money went to something else before this refund was sent."
        yield Condition("FundsTaken", TRUE, "PaidElsewhere", message)
    if seen.waits_for in _WAITS and seen.state not in FINAL_STATES:
        yield _WAITS[seen.waits_for]
    if seen.is_promised:
        yield _PROMISED
    if seen.second in CONDITIONS:
        yield CONDITIONS[seen.second]


def _money_moved(seen: Seen, now: datetime, *, is_unanswered: bool) -> Condition:
    if seen.amount_minor == 0:
        return Condition("MoneyMoved", TRUE, "NothingToMove")
    states = [m.state for m in seen.movements if m.state is not MovementState.CANCELLED and not m.replaced]
    if states and all(s in MOVED for s in states):
        return Condition("MoneyMoved", TRUE, "Succeeded")
    if MovementState.REVERSED in states:
        return Condition("MoneyMoved", FALSE, "Reversed", "The gateway took the refund back.")
    if MovementState.FAILED in states:
        return Condition("MoneyMoved", FALSE, "Failed", _why_failed(seen))
    if is_unanswered:
        return Condition("MoneyMoved", UNKNOWN, "NoAnswer", "The gateway gave no answer.")
    if MovementState.PENDING in states:
        return Condition("MoneyMoved", UNKNOWN, "Pending", "The gateway has accepted the refund.")
    return _not_yet(seen, now)


def _not_yet(seen: Seen, now: datetime) -> Condition:
    if times := [m.not_before for m in seen.movements if m.not_before and movements.waits_for_turn(m, now)]:
        message = f"Its gateway takes the next refund of this payment from {min(times):%Y-%m-%d %H:%M:%S} UTC on."
        return Condition("MoneyMoved", FALSE, "WaitsForGateway", message)
    if seen.state is RefundState.REFUNDING and any(map(waits_for_hand, seen.movements)):
        return Condition("MoneyMoved", FALSE, "PaidByHand", "No gateway can pay it: a person does, and records it.")
    return Condition("MoneyMoved", FALSE, "NotYet")


_NOT_THE_GATEWAY = {
    NEVER_SENT: "It could not be sent in time.",
    FUNDS_TAKEN: "The payment's money went to something else before.",
}


def _why_failed(seen: Seen) -> str:
    codes = {m.failure_code for m in seen.movements if m.state is MovementState.FAILED}
    refused = sorted(codes - _NOT_THE_GATEWAY.keys())
    said = [f"The gateway refused: {', '.join(refused)}."] if refused else []
    return " ".join([*said, *(why for code, why in _NOT_THE_GATEWAY.items() if code in codes)])


def _succeeded(seen: Seen) -> Condition:
    if seen.state is RefundState.REFUNDED:
        return Condition("Succeeded", TRUE, "Refunded")
    if seen.state in FINAL_STATES or seen.state is RefundState.FAILED:
        return Condition("Succeeded", FALSE, _reason(seen.state))
    return Condition("Succeeded", UNKNOWN, _reason(seen.state))


def _of_the_stop(seen: Seen) -> Iterator[Condition]:
    name = "ShipmentStopped"
    if seen.awaits_stop:
        yield Condition(name, UNKNOWN, "AwaitingConfirmation", "Somebody has to say that the units stay.")
    elif seen.stop is Stop.STOPPED:
        yield Condition(name, TRUE, "Confirmed")
    elif seen.stop is Stop.LEFT:
        yield Condition(name, FALSE, "HasLeft", f"The units have left all the same.{_untracked(seen)}")
    elif seen.stop is Stop.UNCONFIRMED:
        said = f"Nobody has said in time that the units stay: they count as left.{_untracked(seen)}"
        yield Condition(name, FALSE, "NotConfirmed", said)


def _untracked(seen: Seen) -> str:
    """What a person has to do himself."""
    is_untracked = any(not parcel.tracking_number for parcel in seen.goods.parcels)
    return " Without a tracking number no carrier can be asked to stop them." if is_untracked else ""


def _of_the_goods(seen: Seen) -> Iterator[Condition]:
    pickup = counting(seen.goods.pickups)
    if pickup and pickup.by_courier:
        yield _pickup_booked(pickup)
    if seen.route in (Route.PICKUP, Route.INTERCEPT) and (pickup or seen.goods.received):
        has_them = seen.goods.received or (pickup is not None and pickup.state is PickupState.RECEIVED)
        yield Condition("GoodsReceived", TRUE if has_them else FALSE, "Received" if has_them else "NotYet")
    yield from (_DOUBTED[kind] for kind in sorted(seen.incidents & _DOUBTED.keys()))
    if seen.held_until:
        yield Condition("OnHold", TRUE, "Held", "Somebody has put this refund on hold.")


def _pickup_booked(pickup: PickupView) -> Condition:
    if pickup.state in HANDED_OVER or pickup.state is PickupState.BOOKED:
        return Condition("PickupBooked", TRUE, _reason(pickup.state))
    if pickup.state is PickupState.INTENDED and pickup.refusal:
        return Condition("PickupBooked", FALSE, "Refused", f"The courier says: {pickup.refusal}.")
    return Condition("PickupBooked", FALSE, _reason(pickup.state))
