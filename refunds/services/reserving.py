"""Money reserved for a refund after it was entered: of what is free by then, by further movements."""

from refunds.destinations import BACK
from refunds.models import Refund
from refunds.services.docket import Docket
from refunds.services.payers import Source, payers
from refunds.services.rows import policy_of


def free_for(docket: Docket, refund: Refund) -> int:
    """What of the order's payments no refund has."""
    return sum(max(0, share.free_minor) for share in docket.shares_of(refund.order_id))


def reserve(docket: Docket, refund: Refund, amount_minor: int) -> None:
    """As much as is free at most. What goes elsewhere than back goes there again."""
    policy, shares = policy_of(refund.policy_version_id), docket.shares_of(refund.order_id)
    elsewhere = {movement.share_id: movement.destination for movement in docket.movements[refund.id] if movement.target}
    sources = [Source(s, docket.turn_of(s, policy), elsewhere.get(s.id, BACK).account) for s in shares]
    left = {share.id: max(0, share.free_minor) for share in shares}
    for gives in payers(amount_minor, left, sources):
        to = elsewhere[gives.share_id] if gives.target else BACK
        docket.add_movement(refund, docket.shares[gives.share_id], gives.amount_minor, to)
