"""What an agent decides in review: approve the whole or a part, reject with a reason, hold, resume."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from orders.errors import Conflict, Invalid
from orders.roles import Actor
from refunds.actions import Action
from refunds.approving import OPEN
from refunds.goods import GoodsSeen, route_now
from refunds.models import Refund
from refunds.selectors.allowed import is_claimed
from refunds.services.acts.desk import Target, conclude, line_named, open_for
from refunds.services.approvals import second_of, subject_of
from refunds.services.contests import refused
from refunds.services.dispositions import send_back_refused, write_off_paid
from refunds.services.docket import Docket
from refunds.services.holds import end_hold
from refunds.services.places import units_of
from refunds.services.rows import policy_of
from refunds.services.shrinking import redraw, shrink
from refunds.services.units import spread
from refunds.services.wishes import LineWish
from refunds.states import Goods, Rejection, Route


@dataclass(frozen=True, slots=True)
class Approval:
    """`lines` None: all of it. `goods`: what the customer is to do with them, when other than he asked for."""

    lines: Sequence[LineWish] | None = None
    goods: Goods | None = None


@transaction.atomic
def approve(target: Target, approval: Approval, *, actor: Actor) -> Refund:
    """Goods that must come back are awaited (arrow g); else the money moves (h). Nobody approves his own request.
    It ends a hold.

    Raises what `desk.open_for` raises, Forbidden for the requester, Invalid for lines the refund does not have.
    """
    refund, docket = open_for(Action.APPROVE, target, actor)
    end_hold(docket, refund, actor=actor)
    _settle_what(docket, refund, approval, actor)
    refund.approved_at, refund.approved_by = docket.now, actor.reference
    refund.deadline = refund.reminded_at = None
    docket.decide_anew(refund)
    awaits = _awaits_goods(refund)
    if refund.inspected_at:
        write_off_paid(docket, refund, actor=actor)
        send_back_refused(docket, refund, actor=actor)
    docket.follow(refund, "approve_return" if awaits else "approve_refund", actor=actor)
    if awaits and _is_told(refund):
        docket.tell(refund, "approved", policy_of(refund.policy_version_id))
    return conclude(docket, refund)


def _settle_what(docket: Docket, refund: Refund, approval: Approval, actor: Actor) -> None:
    """Which units, what becomes of them, and what it comes to on the terms that go with that."""
    if approval.lines is not None:
        _approve_part(docket, refund, _kept(docket, refund, approval.lines), actor)
    is_other = approval.goods is not None and approval.goods.value != refund.goods
    if approval.goods is not None:
        refund.goods = approval.goods.value
    refund.route = _route_now(docket, refund).value
    if is_other and not _is_claimed(docket, refund):
        redraw(docket, refund)


@transaction.atomic
def second_approve(target: Target, *, actor: Actor) -> Refund:
    """A second person agrees to what it is about, where its money goes, and to no more than it comes to now: once one
    of these changes his word has lapsed. Raises what `desk.open_for` raises."""
    refund, docket = open_for(Action.SECOND_APPROVE, target, actor)
    _refuse_agreed(docket, refund)
    refund.second_at, refund.second_by = docket.now, actor.reference
    refund.second_for, refund.second_most_minor = subject_of(docket, refund), refund.amount_minor
    refund.second_bypass = ""
    docket.decide_anew(refund)
    docket.record(refund, "refund.second_approved", {"amount_minor": refund.amount_minor}, actor)
    return conclude(docket, refund)


def _refuse_agreed(docket: Docket, refund: Refund) -> None:
    """Somebody has agreed just now, and the engine has not looked since."""
    if second_of(docket, refund) in OPEN:
        raise Conflict("no_second_needed", "Nobody else has to approve it; or somebody has.")


@transaction.atomic
def bypass_second(target: Target, *, reason: str, actor: Actor) -> Refund:
    """Let it pass without a second person, as far as an approval would go. The reason is kept with the refund and must
    not be empty. Raises what `desk.open_for` raises."""
    if not reason.strip():
        raise Invalid.of("reason", "required", "Say why: whoever reads the books asks.")
    refund, docket = open_for(Action.BYPASS_SECOND, target, actor)
    _refuse_agreed(docket, refund)
    refund.second_at, refund.second_by, refund.second_bypass = docket.now, actor.reference, reason
    refund.second_for, refund.second_most_minor = subject_of(docket, refund), refund.amount_minor
    docket.decide_anew(refund)
    docket.record(refund, "refund.second_bypassed", {"amount_minor": refund.amount_minor, "reason": reason}, actor)
    return conclude(docket, refund)


@transaction.atomic
def reject(target: Target, *, reason: str, actor: Actor) -> Refund:
    """Arrow i: units and money are free again, and the customer is told the reason. It must not be empty. It
    ends a hold."""
    if not reason.strip():
        raise Invalid.of("reason", "required", "Say why: the customer is told.")
    refund, docket = open_for(Action.REJECT, target, actor)
    end_hold(docket, refund, actor=actor)
    refund.rejection, refund.rejection_code = reason, Rejection.IN_WORDS.value
    refused(docket, refund, by=actor)
    docket.follow(refund, "reject", actor=actor)
    docket.tell(refund, "rejected", policy_of(refund.policy_version_id))
    send_back_refused(docket, refund, actor=actor)
    return conclude(docket, refund)


@transaction.atomic
def hold(target: Target, *, until: datetime | None, actor: Actor) -> Refund:
    """Stop the clocks and the money; what happens to the goods still counts. `until` (UTC) None: the policy's longest
    hold; no later than that."""
    refund, docket = open_for(Action.HOLD, target, actor)
    longest = docket.now + timedelta(seconds=policy_of(refund.policy_version_id).hold_seconds)
    ends_at = until or longest
    if not docket.now < ends_at <= longest:
        raise Invalid.of(
            "until", "out_of_range", f"A hold ends in the future, and by {longest:%Y-%m-%d} at the latest."
        )
    refund.held_from = refund.held_from or docket.now
    refund.held_until = ends_at
    docket.decide_anew(refund)
    docket.record(refund, "refund.held", {"until": ends_at.isoformat()}, actor)
    return conclude(docket, refund)


@transaction.atomic
def resume(target: Target, *, actor: Actor) -> Refund:
    """The clock goes on where it stopped."""
    refund, docket = open_for(Action.RESUME, target, actor)
    end_hold(docket, refund, actor=actor)
    return conclude(docket, refund)


def _approve_part(docket: Docket, refund: Refund, kept: dict[int, int], actor: Actor) -> None:
    before = sum(row.quantity for row in docket.units[refund.id])
    shrink(docket, refund, kept)
    if sum(kept.values()) < before:
        refused(docket, refund, by=actor)


def _kept(docket: Docket, refund: Refund, lines: Sequence[LineWish]) -> dict[int, int]:
    kept: dict[int, int] = {}
    for wish in lines:
        rows = line_named(docket, refund, wish.key, wish.path)
        left = sum(row.quantity for row in rows)
        if wish.quantity > left or rows[0].id in kept:
            raise Invalid.of(
                f"{wish.path}.quantity", "more_than_requested", f"The refund is about {left} of {wish.key}."
            )
        kept |= spread(rows, wish.quantity)
    if not any(kept.values()):
        raise Invalid.of("lines", "nothing_left", "Approve at least one unit, or reject the refund.")
    return kept


def _is_told(refund: Refund) -> bool:
    """Where a courier comes, the approval is told with his visit; goods that are here are waited for no longer."""
    no_courier_comes = refund.route == Route.INTERCEPT or refund.goods == Goods.ALREADY_SENT
    return no_courier_comes and refund.received_at is None


def _awaits_goods(refund: Refund) -> bool:
    if refund.inspected_at:
        return False
    if refund.goods == Goods.ALREADY_SENT:
        return True
    return refund.goods == Goods.RETURN and refund.route in (Route.INTERCEPT, Route.PICKUP)


def _route_now(docket: Docket, refund: Refund) -> Route:
    """What is approved is what the goods need now, wherever they were when the engine last looked."""
    seen = GoodsSeen(Goods(refund.goods), units_of(docket, refund))
    return Route(refund.route) if _is_claimed(docket, refund) else route_now(seen, Route(refund.route))


def _is_claimed(docket: Docket, refund: Refund) -> bool:
    return any(is_claimed(m) for m in docket.movements[refund.id])
