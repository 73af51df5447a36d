"""The controller of what is declared: a key is the id of one manifest. It calls nobody outside."""

from collections.abc import Sequence

from refunds.selectors.due import Cursor, due_page
from refunds.services.manifests.syncing import Held, postpone_manifest, sync_manifest
from workers.backoff import backoff_seconds
from workers.contract import Answered, Begun, Call
from workers.ports import Budget
from workers.reconcilers.keys import row_id, row_ids
from workers.reconcilers.looks import STALLED_SECONDS, look_in
from workers.room import Room
from workers.workqueue import Lease, Outcome

FAILED_BASE_SECONDS = 1.0
FAILED_CAP_SECONDS = 60.0


class ManifestReconciler:
    """Makes policies and channels true, one manifest and one transaction at a time."""

    queue = "manifests"

    def __init__(self) -> None:
        self._due_cursor: Cursor | None = None

    def begin(self, leases: Sequence[Lease], room: Room, *, wait_ms: int | None = None) -> Begun:
        ids, outcomes = row_ids(leases)
        begun = Begun(outcomes)
        for manifest_id in ids:
            key = str(manifest_id)
            try:
                begun.outcomes[key] = look_in(sync_manifest(manifest_id))
            except Held:
                begun.skipped.append(key)
            except Exception as odd:
                if len(ids) == 1:
                    raise
                begun.raised[key] = odd
        return begun

    def perform(self, call: Call, budget: Budget) -> object:
        raise AssertionError("manifests call nobody")

    def is_healthy(self, reply: object) -> bool:
        return True

    def record(self, answers: Sequence[Answered], *, wait_ms: int | None = None) -> dict[str, Outcome]:
        return {}

    def due(self, limit: int) -> list[str]:
        ids, self._due_cursor = due_page("refunds_manifest", self._due_cursor, limit)
        return [str(i) for i in ids]

    def failed(self, key: str, error: BaseException, failures: int) -> None:
        seconds = backoff_seconds(failures, base=FAILED_BASE_SECONDS, cap=FAILED_CAP_SECONDS)
        postpone_manifest(row_id(key), seconds=seconds, failures=failures)

    def stalled(self, key: str) -> None:
        postpone_manifest(row_id(key), seconds=STALLED_SECONDS, failures=1)
