"""Who may ask for another one of the same instead of the money, and of what."""

from orders.errors import Forbidden, Invalid
from orders.roles import Role
from refunds.policy import PolicySpec
from refunds.services.wishes import RefundWish
from refunds.states import Remedy


def refuse_replacement(wish: RefundWish, policy: PolicySpec) -> None:
    """Raise Forbidden for a customer where the policy has none, Invalid where no goods are asked back."""
    if wish.remedy is not Remedy.REPLACEMENT or wish.contests:
        return
    if wish.actor.role is Role.CUSTOMER and not policy.replacements:
        raise Forbidden("no_replacements", "This shop pays the money back; customer service can do more.")
    if not wish.has_units:
        raise Invalid.of("remedy", "nothing_to_replace", "Only goods can be replaced: name lines.")
