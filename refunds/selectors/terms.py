"""What somebody goes by who acts on a refund: it can change a good deal without that changing."""

from collections.abc import Iterable

from orders.errors import Stale
from refunds.actions import Action
from refunds.models import GatewayRefund, Refund


def terms(action: Action, refund: Refund, movements: Iterable[GatewayRefund]) -> str:
    """As one text, to be compared: what is wanted, how far it is, which way it goes, and what has moved of the money.

    Conditions, messages, calls that are out and the engine's own clock are none of it. Whose case it is matters to who
    gives it away, and to nobody else.
    """
    if action is Action.ASSIGN:
        return f"assignee={refund.assignee_id or ''}"
    moved = ",".join(m.state for m in sorted(movements, key=lambda m: m.id))
    return f"{refund.generation} {refund.state} {refund.route} {moved}"


def other_terms(
    action: Action, refund: Refund, movements: Iterable[GatewayRefund], *, seen: str | None
) -> Stale | None:
    """What is answered to who went by other terms; None says nothing about that."""
    if seen is None or seen == terms(action, refund, movements):
        return None
    return Stale("stale_terms", "What you went by has changed: read it again.")
