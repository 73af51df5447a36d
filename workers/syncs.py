"""What is noted of each finished sync: one line on the logger `refundry.reconcile`, without personal data."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workers.workqueue import Lease, Outcome, OutcomeKind

logger = logging.getLogger("refundry.reconcile")


@dataclass(frozen=True, slots=True)
class Sync:
    """One key from its lease to its outcome: how many calls it made, and the seconds it took."""

    lease: Lease
    outcome: Outcome
    calls: int = 0
    worked: float = 0.0


def note(syncs: Sequence[Sync], *, refused: Collection[Lease]) -> None:
    """A line for each; `refused` are leases that were lost before they were finished.

    One record carries the lines of all (`config/logs.py`): a record each would cost three times as much.
    """
    if logger.isEnabledFor(logging.INFO):
        lines = [_fields(sync, is_lost=sync.lease in refused) for sync in syncs]
        logger.info("reconciled", extra={"lines": lines})


def _fields(sync: Sync, *, is_lost: bool) -> dict[str, object]:
    lease, outcome = sync.lease, sync.outcome
    has_failed = outcome.kind is OutcomeKind.ERROR
    fields: dict[str, object] = {
        "queue": lease.queue,
        "key": lease.key,
        "result": "lost" if is_lost else _result(outcome),
        "queued_seconds": lease.queued,
        "worked_seconds": round(sync.worked, 4),
        "calls": sync.calls,
        "failures": lease.failures + 1 if has_failed else 0,
    }
    if outcome.kind is OutcomeKind.AFTER:
        fields["after_seconds"] = round(outcome.seconds, 3)
    if outcome.cause is not None:
        fields["error"] = type(outcome.cause).__name__
    return fields


def _result(outcome: Outcome) -> str:
    """As in controller_runtime_reconcile_total, and `terminal` for an error that is not repeated."""
    match outcome.kind:
        case OutcomeKind.OK:
            return "success"
        case OutcomeKind.AFTER:
            return "requeue_after" if outcome.seconds > 0 else "requeue"
    return outcome.kind.value
