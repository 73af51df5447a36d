"""The product's passes over refunds and their messages in this one process, with no queue and no threads.

What is left is what T1, rendering and T2 cost: for seeds, and for a profile.
"""

from collections.abc import Iterator, Sequence

from benchmarks.in_process import GATEWAY, MESSENGERS
from refunds.models import Notification
from workers import bootstrap
from workers.contract import Answered, Reconciler
from workers.ports import Budget
from workers.reconcilers.notifications import NotificationReconciler
from workers.reconcilers.refunds import RefundReconciler
from workers.workqueue import Lease

REFUNDS = RefundReconciler(lambda account: GATEWAY, bootstrap.courier, is_courier=bootstrap.is_courier)
NOTIFICATIONS = NotificationReconciler(MESSENGERS)


class _Boundless:
    """Room for every call."""

    def take(self, account: str) -> bool:
        return True


def run_through(refund_ids: Sequence[int], *, batch: int) -> None:
    """Refund them and tell their customers."""
    for ids in _batches(refund_ids, batch):
        _sync(REFUNDS, ids)
    messages = Notification.objects.filter(refund__in=refund_ids).order_by("id").values_list("id", flat=True)
    for ids in _batches(list(messages), batch):
        _sync(NOTIFICATIONS, ids)


def _sync(reconciler: Reconciler, ids: Sequence[int]) -> None:
    begun = reconciler.begin([Lease(reconciler.queue, str(i), "") for i in ids], _Boundless())
    budget = Budget(60, monotonic=lambda: 0.0)
    reconciler.record([Answered(call, reconciler.perform(call, budget)) for call in begun.calls])


def _batches(ids: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (ids[i : i + size] for i in range(0, len(ids), size))
