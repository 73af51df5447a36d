"""Asking again for what was rejected: so often, and not of the same agent."""

from collections.abc import Sequence
from operator import attrgetter

from orders.errors import Conflict
from orders.roles import Role
from refunds.models import Refund
from refunds.services.wishes import Part, RefundWish, Stock
from refunds.states import RefundState


def rejected_before(stock: Stock, parts: Sequence[Part]) -> list[Refund]:
    """The refunds of these lines that were rejected, oldest first."""
    rejected = [refund for refund in stock.refunds if refund.state == RefundState.REJECTED]
    wanted = {units.line_id for part in parts for units in part.units}
    lines = {line.id for line in stock.lines if line.line_id in wanted}
    return sorted((r for r in rejected if lines & stock.beside.lines_of(r)), key=attrgetter("id"))


def refuse_asked_too_often(wish: RefundWish, stock: Stock, rejected: Sequence[Refund]) -> None:
    """A customer asks as often as the policy lets him; the shop may ask for him all the same. Raises Conflict."""
    most = stock.policy.request_attempts
    if wish.actor.role is Role.CUSTOMER and not wish.contests and len(rejected) >= most:
        numbers = [refund.number for refund in rejected]
        detail = f"It was asked for and rejected {len(numbers)} times ({', '.join(numbers)}): write to us."
        raise Conflict("asked_too_often", detail, refunds=numbers)
