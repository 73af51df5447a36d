"""Asking again for what was rejected: so often, and not of the same agent."""

from collections.abc import Sequence

from orders.errors import Conflict
from orders.roles import Role
from refunds.models import Refund, RefundLine
from refunds.services.wishes import Part, RefundWish, Stock
from refunds.states import RefundState


def rejected_before(stock: Stock, parts: Sequence[Part]) -> list[Refund]:
    """The refunds of these lines that were rejected, oldest first. One query, if any of the order was."""
    rejected = {refund.id: refund for refund in stock.refunds if refund.state == RefundState.REJECTED}
    if not rejected:
        return []
    wanted = {units.line_id for part in parts for units in part.units}
    of_lines = RefundLine.objects.filter(refund_id__in=rejected, order_line__line_id__in=wanted)
    return [rejected[refund_id] for refund_id in sorted(set(of_lines.values_list("refund_id", flat=True)))]


def refuse_asked_too_often(wish: RefundWish, stock: Stock, rejected: Sequence[Refund]) -> None:
    """A customer asks as often as the policy lets him; the shop may ask for him all the same. Raises Conflict."""
    most = stock.policy.request_attempts
    if wish.actor.role is Role.CUSTOMER and not wish.contests and len(rejected) >= most:
        numbers = [refund.number for refund in rejected]
        detail = f"It was asked for and rejected {len(numbers)} times ({', '.join(numbers)}): write to us."
        raise Conflict("asked_too_often", detail, refunds=numbers)
