"""Whether a second person has agreed to what loosens the rules of some order."""

from collections.abc import Collection

from refunds.conditions import Condition
from refunds.declared import approval
from refunds.models import Manifest
from refunds.records import execute


def one_at_a_time() -> None:
    """What governs orders is compared and changed by one pass after the other, until the transaction ends."""
    execute("SELECT pg_advisory_xact_lock(hashtextextended('what governs orders', 0))")


def agreement(row: Manifest, looser: Collection[str], *, asked_by: str) -> Condition | None:
    """What is to be said of it; None where nothing is looser. `looser`: the fields that are."""
    word = approval.Word(row.approval, row.approved_by, row.approved_generation) if row.approval else None
    said = approval.judge(word, is_protected=bool(looser), generation=row.generation, applied_by=asked_by)
    if said is None or said.reason != "Missing":
        return said
    return Condition(said.type, said.status, said.reason, f"{said.message} Looser: {', '.join(sorted(looser))}.")
