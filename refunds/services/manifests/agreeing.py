"""Whether a second person has agreed to what loosens the rules of some order."""

from collections.abc import Collection

from orders.errors import Conflict
from refunds.conditions import Condition
from refunds.declared import approval
from refunds.models import Manifest
from refunds.records import execute


def one_at_a_time() -> None:
    """What governs orders is compared and changed by one pass after the other, until the transaction ends."""
    execute("SELECT pg_advisory_xact_lock(hashtextextended('what governs orders', 0))")


def agreement(row: Manifest, looser: Collection[str]) -> Condition | None:
    """What is to be said of it; None where nothing is looser. `looser`: the fields that are."""
    word = approval.Word(row.approval, row.approved_by, row.approved_generation) if row.approval else None
    said = approval.judge(word, is_protected=bool(looser), generation=row.generation, applied_by=row.asked_by)
    if said is None or said.reason != "Missing":
        return said
    return Condition(said.type, said.status, said.reason, f"{said.message} Looser: {', '.join(sorted(looser))}.")


def refuse_unasked(row: Manifest) -> None:
    """Raise Conflict where nobody has to approve it, or somebody has. What its controller has not looked at yet may
    wait for a word."""
    is_seen = row.observed_generation == row.generation
    if row.deletion_at is not None:
        is_seen = any(condition["type"] == "Terminating" for condition in row.conditions)
    if not is_seen or approval.is_awaited(row.conditions, row.generation):
        return
    is_agreed = row.approval and row.approved_generation == row.generation
    why = f"{row.approved_by} has agreed to it already" if is_agreed else "nobody has to approve it"
    raise Conflict("no_second_needed", f"{row}, generation {row.generation}: {why}.")
