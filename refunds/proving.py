"""Goods that count as delivered and were not received, as the customer says: the carrier, or the shop, is to prove it.

Pure. It is asked once, has a time of worked days, and its end is the policy's: the money goes, or a person decides.
"""

from datetime import datetime

from refunds.policy import PolicySpec
from refunds.seen import Seen
from refunds.states import Goods, Place, Proof, RefundState


def asks(seen: Seen) -> bool:
    """It is to be asked for now."""
    is_new = seen.state is RefundState.IN_REVIEW and seen.proof is Proof.NOT_ASKED
    return is_new and seen.goods.wanted is Goods.NOT_RECEIVED and _counts_as_delivered(seen)


def is_over(seen: Seen, now: datetime) -> bool:
    """Its time is, and nobody has given it."""
    is_awaited = seen.state is RefundState.IN_REVIEW and seen.proof is Proof.AWAITED
    return is_awaited and seen.proof_until is not None and seen.proof_until <= now


def pays(seen: Seen, policy: PolicySpec, now: datetime) -> bool:
    """There is none: by the policy that is an approval, where no person has to say a word or has stopped it."""
    is_free = not (seen.is_on_hold(now) or seen.cancel_wanted or seen.contested or seen.lacks_second)
    return is_free and _lacks_it(seen, now) and policy.proof_outcome == "approve"


def is_case(seen: Seen, policy: PolicySpec, now: datetime) -> bool:
    """There is none, and a person is to say what follows."""
    return _lacks_it(seen, now) and not pays(seen, policy, now)


def _lacks_it(seen: Seen, now: datetime) -> bool:
    is_denied = seen.state is RefundState.IN_REVIEW and seen.goods.wanted is Goods.NOT_RECEIVED
    return is_denied and (seen.proof is Proof.MISSING or is_over(seen, now))


def _counts_as_delivered(seen: Seen) -> bool:
    return any(units.place is Place.DELIVERED for units in seen.goods.units)
