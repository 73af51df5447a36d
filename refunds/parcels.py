"""The goods' way back, pure: when a courier is booked, asked, tracked or called off, and a parcel intercepted.

A courier's facts are ordered by the carrier's time: an older one changes nothing. After an unanswered booking the
courier is asked before anything is booked again; a second booking under one number is called off.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from orders.states import ShipmentState
from refunds import calls
from refunds.calls import CallPhase, CallState
from refunds.states import PickupState
from workers.ports import Capabilities

#: The courier still has something to do.
LIVE = frozenset(
    {PickupState.INTENDED, PickupState.BOOKED, PickupState.COLLECTED, PickupState.IN_TRANSIT, PickupState.MISSED}
)
#: The customer has handed the goods over.
HANDED_OVER = frozenset({PickupState.COLLECTED, PickupState.IN_TRANSIT, PickupState.RECEIVED})
#: A refusal of the courier that waiting does not change.
HOPELESS = frozenset({"bad_address"})


class ParcelAct(StrEnum):
    """A call to a courier. FIND and TRACK only ask; the others are claimed."""

    BOOK = "book"
    CANCEL = "cancel"
    FIND = "find"
    TRACK = "track"
    INTERCEPT = "intercept"

    @property
    def asks(self) -> bool:
        return self in (ParcelAct.FIND, ParcelAct.TRACK)


@dataclass(frozen=True, slots=True)
class ParcelCall:
    """`subject` is the number of a pickup, or of an intercept (`numbers.intercept_number`)."""

    act: ParcelAct
    subject: str


@dataclass(frozen=True, slots=True)
class PickupView:
    """A homeward parcel. `by_courier` is False for one that the customer posted; nobody is called about it."""

    number: str
    state: PickupState
    call: CallState
    can: Capabilities
    created_at: datetime
    waybill: str = ""
    by_courier: bool = True
    missed: int = 0
    refusal: str = ""
    unwanted: bool = False
    collected_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ParcelView:
    """An outward parcel that holds units of the refund; `number` is that of its intercept."""

    number: str
    state: ShipmentState
    call: CallState
    can: Capabilities


def newest(pickups: Iterable[PickupView]) -> PickupView | None:
    """The pickup that counts: the last one that is wanted."""
    wanted = [p for p in pickups if not p.unwanted]
    return wanted[-1] if wanted else None


def pickup_calls(pickup: PickupView, *, wanted: bool, now: datetime) -> ParcelCall | None:
    """The one call that is due about a pickup; `wanted`: the goods are still to be fetched."""
    if not pickup.by_courier or not calls.is_due(pickup.call, now):
        return None
    if pickup.call.call is not CallPhase.IDLE:
        return ParcelCall(ParcelAct.FIND, pickup.number) if calls.is_unanswered(pickup.call, now) else None
    if not wanted and pickup.state is PickupState.BOOKED:
        return ParcelCall(ParcelAct.CANCEL, pickup.number)
    if wanted and pickup.state is PickupState.INTENDED:
        return ParcelCall(ParcelAct.BOOK, pickup.number)
    if pickup.state in LIVE and pickup.state is not PickupState.INTENDED:
        return ParcelCall(ParcelAct.TRACK, pickup.number)
    return None


def intercept_call(parcel: ParcelView, *, wanted: bool, now: datetime) -> ParcelCall | None:
    """Have the carrier stop a parcel, again under the same key while nobody answers; then follow where it goes."""
    call = parcel.call
    if parcel.state in (ShipmentState.RETURNED, ShipmentState.LOST) or not calls.is_due(call, now):
        return None
    if call.call is not CallPhase.IDLE:
        is_open = calls.is_unanswered(call, now)
        return ParcelCall(ParcelAct.INTERCEPT, parcel.number) if is_open else None
    if wanted and parcel.state is ShipmentState.SHIPPED and (call.attempt == 0 or call.failures):
        return ParcelCall(ParcelAct.INTERCEPT, parcel.number)
    return ParcelCall(ParcelAct.TRACK, parcel.number) if wanted and call.retry_at is not None else None


def next_time(call: CallState, now: datetime) -> datetime | None:
    """When this call is to be looked at again."""
    return call.answer_due_at if calls.is_out(call, now) else call.retry_at
