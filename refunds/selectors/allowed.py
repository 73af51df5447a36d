"""What a caller can do next with a refund, read from loaded rows by the one table (`refunds.actions`)."""

from collections.abc import Iterable

from orders.models import Shipment
from orders.roles import Actor
from orders.states import ShipmentState
from refunds.actions import Action, allowed
from refunds.conditions import TRUE
from refunds.models import GatewayRefund, Pickup, Refund, RefundLine
from refunds.needs import Position
from refunds.parcels import UNDER_WAY, has_goods
from refunds.routing import UNREPORTED
from refunds.selectors.hand_accounts import is_by_hand
from refunds.selectors.policies import policy_of
from refunds.states import (
    Goods,
    MovementKind,
    MovementState,
    PickupState,
    Proof,
    RefundState,
    Route,
    Stop,
    WayBack,
)

_MOVED_NOTHING = frozenset({MovementState.INTENDED, MovementState.FAILED, MovementState.CANCELLED})
_COMING_BACK = frozenset({ShipmentState.INTERCEPTING, ShipmentState.RETURNING, ShipmentState.REFUSED})


def is_claimed(movement: GatewayRefund) -> bool:
    """The money has left, or may have: the call is out, its outcome unknown, or the gateway has taken it."""
    return movement.call != "idle" or movement.state not in _MOVED_NOTHING


def is_missing(movement: GatewayRefund) -> bool:
    """It failed, or was taken back by the gateway and not paid again since."""
    is_taken_back = movement.state == MovementState.REVERSED and not movement.replaced_by
    return movement.state == MovementState.FAILED or is_taken_back


def is_redirectable(movement: GatewayRefund) -> bool:
    """It may go elsewhere: nothing of it is out. The end of a hold goes nowhere."""
    is_here = movement.state == MovementState.INTENDED or is_missing(movement)
    return is_here and movement.call == "idle" and movement.kind == MovementKind.REFUND


def is_unanswered(movement: GatewayRefund) -> bool:
    """It was sent, and no answer came."""
    return movement.state == MovementState.INTENDED and movement.call == "unknown"


def is_outcome_open(movements: Iterable[GatewayRefund]) -> bool:
    """The gateway has not said what became of one of them."""
    return any(m.call != "idle" or m.state == MovementState.PENDING for m in movements)


def is_seen(parcel: Pickup) -> bool:
    """A carrier has spoken of it, not only the customer who says that he posted it."""
    return bool(parcel.account) or parcel.fact_at is not None


def is_being_stopped(parcel: Shipment) -> bool:
    """The carrier turns it round, or is being asked to; once delivered after all he is not."""
    is_asked = parcel.state == ShipmentState.SHIPPED and parcel.call != "idle"
    return is_asked or parcel.state in _COMING_BACK


def is_unreported(parcel: Shipment) -> bool:
    """Nobody has said where it went: no carrier, and not the customer."""
    return parcel.state in UNREPORTED and parcel.delivery_known_at is None


def lacks_second(refund: Refund) -> bool:
    """A second person has yet to agree before its money is sent."""
    return any(c["type"] == "ApprovalConformant" and c["status"] != TRUE for c in refund.conditions)


def position(
    refund: Refund,
    movements: Iterable[GatewayRefund],
    pickups: Iterable[Pickup],
    parcels: Iterable[Shipment],
    units: Iterable[RefundLine],
) -> Position:
    """Where a refund stands, by its rows; `parcels` are those on their way out that hold units of it."""
    movements, parcels, missing = list(movements), list(parcels), [m for m in movements if is_missing(m)]
    under_way = [p for p in pickups if _has_left(p, refund)]
    return Position(
        state=RefundState(refund.state),
        route=Route(refund.route),
        requested_by=refund.requested_by,
        held=refund.held_until is not None,
        claimed=any(is_claimed(m) for m in movements),
        open_outcome=is_outcome_open(movements),
        unanswered=any(is_unanswered(m) for m in movements),
        missing=bool(missing),
        doubted=any(m.call != "idle" or m.retry_at for m in missing),
        under_way=bool(under_way),
        carried=any(is_seen(p) for p in under_way),
        sent=refund.goods == Goods.ALREADY_SENT or any(not p.account for p in under_way),
        labelled=refund.way_back == WayBack.DROP_OFF,
        unconfirmed=refund.stop == Stop.AWAITED,
        received=refund.received_at is not None,
        being_stopped=any(is_being_stopped(p) for p in parcels),
        turned_back=any(p.state == ShipmentState.RETURNED for p in parcels),
        cancel_wanted=bool(refund.cancel_wanted_by),
        inspected=refund.inspected_at is not None,
        contestable=refund.contest_until is not None,
        rejected_by=refund.rejected_by,
        assignee=f"principal:{refund.assignee_id}" if refund.assignee_id else "",
        approved_by=refund.approved_by,
        redirectable=any(is_redirectable(m) for m in movements),
        redirected_by=refund.target_by,
        awaits_code=refund.code_until is not None,
        proof_awaited=refund.proof == Proof.AWAITED,
        found_wrong=any(row.damaged or row.wrong_item for row in units),
        outward=any(is_unreported(p) for p in parcels),
        about_goods=bool(refund.sheet.get("lines")),
        replaced=bool(refund.replaced_by),
        lacks_second=lacks_second(refund),
        may_bypass=lacks_second(refund) and policy_of(refund.policy_version_id).second_bypass,
        by_hand=not lacks_second(refund) and any(is_by_hand(m) for m in movements),
    )


def position_of(refund: Refund) -> Position:
    """Expects `gateway_refunds`, `pickups` and `lines` with their shipments to be prefetched when called for many."""
    parcels = [units.shipment for units in refund.lines.all() if units.shipment and units.quantity]
    return position(refund, refund.gateway_refunds.all(), refund.pickups.all(), parcels, refund.lines.all())


def allowed_actions(refund: Refund, actor: Actor) -> tuple[Action, ...]:
    """Expects what `position_of` does."""
    return allowed(position_of(refund), actor)


def _has_left(pickup: Pickup, refund: Refund) -> bool:
    """The customer has handed it over and it is not here; one that was lost counts until another return is approved."""
    is_of_now = pickup.created_at >= (refund.approved_at or refund.created_at)
    return pickup.state in UNDER_WAY or (pickup.state == PickupState.LOST and has_goods(pickup) and is_of_now)
