"""An amount instead of the goods coming back: an agent offers it, the customer accepts or declines."""

from collections import Counter
from dataclasses import dataclass

from django.db import transaction

from orders.errors import Invalid
from orders.roles import Actor
from refunds.actions import Action
from refunds.models import Refund
from refunds.money import allocate
from refunds.services.acts.desk import Target, conclude, open_for
from refunds.services.docket import Docket
from refunds.services.holds import end_hold
from refunds.services.rows import policy_of
from refunds.services.shrinking import lower_prices
from refunds.states import Goods, Route


@dataclass(frozen=True, slots=True)
class Offer:
    """So much in minor units, gross; `note` is told to the customer."""

    amount_minor: int
    note: str


@transaction.atomic
def offer(target: Target, offered: Offer, *, actor: Actor) -> Refund:
    """Arrow d: the customer may keep the goods and have this much. Nobody answers his own request. It ends a hold.

    Raises what `desk.open_for` raises, and Invalid for more than the goods of the refund cost, or nothing.
    """
    if not offered.note.strip():
        raise Invalid.of("note", "required", "Say why: the customer is told.")
    refund, docket = open_for(Action.OFFER, target, actor)
    most = min(refund.amount_minor, sum(_goods(docket, refund).values()))
    if not 0 < offered.amount_minor <= most:
        detail = f"{offered.amount_minor} is not between 1 and {most}, which these goods cost (minor units)."
        raise Invalid.of("amount_minor", "out_of_range", detail, most_minor=most, currency=refund.currency)
    end_hold(docket, refund, actor=actor)
    refund.offered_minor, refund.offered_by, refund.offer_note = offered.amount_minor, actor.reference, offered.note
    refund.deadline = refund.reminded_at = None
    docket.decide_anew(refund)
    docket.follow(refund, "offer", actor=actor, data={"amount_minor": offered.amount_minor})
    docket.tell(refund, "offered", policy_of(refund.policy_version_id))
    return conclude(docket, refund)


@transaction.atomic
def accept_offer(target: Target, *, actor: Actor) -> Refund:
    """Arrow e: the price of what the customer keeps is lowered by what was offered, and the money moves. The units can
    still be asked back, for what they then cost. Raises what `desk.open_for` raises."""
    refund, docket = open_for(Action.ACCEPT_OFFER, target, actor)
    goods, offered_minor = _goods(docket, refund), refund.offered_minor or 0
    parts = allocate(offered_minor, list(goods.values()))
    lower_prices(docket, refund, dict(zip(goods, parts, strict=True)))
    refund.goods, refund.route = Goods.KEEP.value, Route.REFUND_ONLY.value
    refund.approved_at, refund.approved_by = docket.now, refund.offered_by
    refund.deadline = None
    docket.follow(refund, "accept_offer", actor=actor, data={"amount_minor": refund.amount_minor})
    return conclude(docket, refund)


@transaction.atomic
def decline_offer(target: Target, *, actor: Actor) -> Refund:
    """Arrow f: customer service looks at it again, with its whole time. Raises what `desk.open_for` raises."""
    refund, docket = open_for(Action.DECLINE_OFFER, target, actor)
    refund.deadline = None
    docket.decide_anew(refund)
    docket.follow(refund, "decline_offer", actor=actor)
    return conclude(docket, refund)


def _goods(docket: Docket, refund: Refund) -> Counter[str]:
    """What the refund is to give for the goods, by line id."""
    worth = Counter[str]()
    for row in docket.units[refund.id]:
        worth[docket.lines[row.order_line_id].line_id] += row.amount_minor
    return worth
