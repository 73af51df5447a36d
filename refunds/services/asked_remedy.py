"""Who may ask for the money, and who for another one of the same instead of it."""

from collections.abc import Iterable

from orders.errors import Conflict, Forbidden, Invalid
from orders.roles import Role
from refunds.policy import PolicySpec
from refunds.services.wishes import Part, RefundWish
from refunds.states import AskedBy, Remedy, Route


def refuse_remedy(wish: RefundWish, policy: PolicySpec) -> None:
    """Another one: raise Forbidden for a customer where the policy has none, Invalid where no goods are asked back.
    Money: raise Conflict for the recipient of a gift, saying what he may do instead."""
    if wish.contests:
        return
    if wish.remedy is Remedy.REPLACEMENT:
        _refuse_replacement(wish, policy)
    elif wish.asked_by is AskedBy.RECIPIENT:
        raise _payer_only(is_replaceable=wish.has_units and _may_replace(wish, policy))


def refuse_unsent(wish: RefundWish, parts: Iterable[Part]) -> None:
    """What never left is paid back and not replaced: raise Conflict for the recipient of a gift."""
    if wish.asked_by is AskedBy.RECIPIENT and any(part.route is Route.INSTANT for part in parts):
        raise _payer_only(is_replaceable=False)


def _refuse_replacement(wish: RefundWish, policy: PolicySpec) -> None:
    if not _may_replace(wish, policy):
        raise Forbidden("no_replacements", "This shop pays the money back; customer service can do more.")
    if not wish.has_units:
        raise Invalid.of("remedy", "nothing_to_replace", "Only goods can be replaced: name lines.")


def _may_replace(wish: RefundWish, policy: PolicySpec) -> bool:
    return policy.replacements or wish.actor.role is not Role.CUSTOMER


def _payer_only(*, is_replaceable: bool) -> Conflict:
    another = [{"remedy": Remedy.REPLACEMENT.value}] if is_replaceable else []
    alternatives = [{"asked_by": AskedBy.PAYER.value}, *another]
    detail = "The refund goes to whoever paid: the recipient of a gift cannot ask for it."
    return Conflict("payer_only", detail, alternatives=alternatives)
