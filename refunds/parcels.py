"""The goods' way back, pure: when a courier is booked, asked, tracked or called off, and a parcel intercepted.

A courier's facts are ordered by the carrier's time: an older one changes nothing. After an unanswered booking the
courier is asked before anything is booked again; a second booking under one number is called off.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol, TypeVar

from orders.states import ShipmentState
from refunds import calls
from refunds.calls import CallPhase, CallState
from refunds.states import PickupState
from workers.ports import Capabilities

#: The courier comes, or has the goods.
COMING = frozenset({PickupState.BOOKED, PickupState.COLLECTED, PickupState.IN_TRANSIT})
#: The customer has handed the goods over.
UNDER_WAY = frozenset({PickupState.COLLECTED, PickupState.IN_TRANSIT})
HANDED_OVER = UNDER_WAY | {PickupState.RECEIVED}
#: A refusal of the courier that waiting does not change.
HOPELESS = frozenset({"bad_address"})
#: An outward parcel of which nothing more is to come.
ARRIVED = frozenset({ShipmentState.DELIVERED, ShipmentState.RETURNED, ShipmentState.LOST})


@dataclass(frozen=True, slots=True)
class Wants:
    """What a refund wants of couriers. `fetch`: the goods; `keep`: what is booked or stopped stands, although a hold
    asks for nothing new; `follow`: to hear where they are."""

    fetch: bool = False
    keep: bool = False
    follow: bool = True


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


class Homeward(Protocol):
    """What tells of a homeward parcel whether it counts: its view has it, and so has its row."""

    @property
    def state(self) -> str: ...
    @property
    def collected_at(self) -> datetime | None: ...
    @property
    def unwanted(self) -> bool: ...


AnyHomeward = TypeVar("AnyHomeward", bound=Homeward)


@dataclass(frozen=True, slots=True)
class PickupView:
    """A homeward parcel. `by_courier` is False for one that the customer posted; nobody is called about it. `drop_off`:
    the customer hands it in with the courier's label, for which the courier is called as for a visit."""

    number: str
    state: PickupState
    call: CallState
    can: Capabilities
    created_at: datetime
    waybill: str = ""
    by_courier: bool = True
    drop_off: bool = False
    missed: int = 0
    refusal: str = ""
    unwanted: bool = False
    collected_at: datetime | None = None
    fact_at: datetime | None = None
    slot_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class ParcelView:
    """An outward parcel that holds units of the refund; `number` is that of its intercept. Without a tracking number
    no carrier can be asked about it. `delivery_known_at`: when we heard that it was delivered; `assumed_at`: when it
    counts as delivered, should nobody say more.
    """

    number: str
    state: ShipmentState
    call: CallState
    can: Capabilities
    tracking_number: str = ""
    delivery_known_at: datetime | None = None
    assumed_at: datetime | None = None


def counting(pickups: Iterable[AnyHomeward]) -> AnyHomeward | None:
    """The pickup that counts: the one that has the goods, wanted or not; else the last one that is wanted."""
    pickups = tuple(pickups)
    carrying = [p for p in pickups if has_goods(p)]
    wanted = [p for p in pickups if not p.unwanted]
    candidates = carrying or wanted
    return candidates[-1] if candidates else None


def has_goods(pickup: Homeward) -> bool:
    """The customer has handed the goods over, wherever they are by now."""
    return pickup.state in HANDED_OVER or (pickup.state == PickupState.LOST and pickup.collected_at is not None)


def may_come(pickup: PickupView) -> bool:
    """A courier comes, has the goods, or has not said yet whether he will."""
    return pickup.by_courier and (pickup.call.call is not CallPhase.IDLE or pickup.state in COMING)


def pickup_act(pickup: PickupView, wants: Wants, *, counts: bool) -> ParcelAct | None:
    """The one call that comes next about a pickup; `counts`: it is the one that is to bring the goods."""
    if not pickup.by_courier:
        return None
    if pickup.call.call is not CallPhase.IDLE:
        return ParcelAct.FIND
    if pickup.state is PickupState.BOOKED and not (counts and wants.keep):
        return ParcelAct.CANCEL
    if pickup.state is PickupState.INTENDED:
        return ParcelAct.BOOK if counts and wants.fetch else None
    return ParcelAct.TRACK if pickup.state in COMING and wants.follow else None


def parcel_act(parcel: ParcelView, wants: Wants) -> ParcelAct | None:
    """Have the carrier stop a parcel, again under the same key while nobody answers; then follow where it goes."""
    call = parcel.call
    if parcel.state in ARRIVED or not parcel.tracking_number:
        return None
    if call.call is not CallPhase.IDLE:
        return ParcelAct.INTERCEPT
    if wants.fetch and parcel.state is ShipmentState.SHIPPED and (call.attempt == 0 or call.failures):
        return ParcelAct.INTERCEPT
    return ParcelAct.TRACK if wants.keep else None


def due_at(call: CallState, act: ParcelAct, now: datetime) -> datetime:
    """When the call is to be made, now at the earliest. To be tracked later keeps nobody from being called off."""
    if calls.is_out(call, now):
        return call.answer_due_at or now
    if act is ParcelAct.CANCEL and not call.failures:
        return now
    return max(now, call.retry_at or now)
