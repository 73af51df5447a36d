"""The engine's own reconcilers on the test's database, before a sandbox over HTTP, driven pass by pass by the test."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from orders import clock
from orders.models import Order, Payment, PaymentShare
from refunds.models import GatewayScan, Incident, LedgerEntry, Orphan, Refund
from tests.integration.adapters.peers import SECRET, http
from tests.integration.engine.returns import pass_time
from workers.adapters.http_courier import HttpCourier
from workers.adapters.http_gateway import HttpGateway
from workers.contract import Answered, Call, Reconciler
from workers.ports import Budget, Capabilities
from workers.reconcilers.listings import ListingReconciler
from workers.reconcilers.orphans import OrphanReconciler
from workers.reconcilers.refunds import RefundReconciler
from workers.room import Room
from workers.workqueue import Lease

CALL_SECONDS = 5.0
#: As long as it takes until anything that waits is due, and well within the overlap of two scans.
A_WHILE = timedelta(minutes=11)


def drive(reconciler: Reconciler, *keys: str) -> int:
    """Passes over these keys, or over what is due, until nothing is; how many calls were made."""
    calls, waiting = 0, list(keys)
    for _ in range(30):
        leases = [Lease(reconciler.queue, key, "token") for key in waiting or reconciler.due(1000)]
        if not leases:
            return calls
        begun = reconciler.begin(leases, Room(64, lambda: 64))
        assert begun.skipped == []
        calls += len(begun.calls)
        record(reconciler, [perform(reconciler, call) for call in begun.calls])
        waiting = []
    raise AssertionError(f"{reconciler.queue} does not come to rest")


def record(reconciler: Reconciler, answers: Sequence[Answered]) -> None:
    """Again while somebody else holds what they are about, as the runtime does."""
    while answers:
        recorded = reconciler.record(answers, wait_ms=1000)
        answers = [answered for answered in answers if answered.call.key not in recorded]


def perform(reconciler: Reconciler, call: Call) -> Answered:
    return Answered(call, reconciler.perform(call, Budget(CALL_SECONDS, monotonic=time.monotonic)))


@dataclass
class World:
    """One account at the sandbox, and its courier. `can_list`: what its adapter says."""

    url: str
    can_list: bool = True

    def __post_init__(self) -> None:
        can = Capabilities(failed_key_is_final=True, settle_seconds=0.1, listing=self.can_list)
        gateway = HttpGateway(f"{self.url}/v1", secret=SECRET, capabilities=can)
        self.courier = HttpCourier(f"{self.url}/courier/v1", secret=SECRET)
        both: dict[str, Any] = {"gateway": lambda _: gateway, "courier": lambda _: self.courier}
        self.refunds = RefundReconciler(**both, is_courier=lambda account: account == "courier")
        self.orphans = OrphanReconciler(**both, is_courier=lambda account: account == "courier")
        self.listings = ListingReconciler(lambda _: gateway, lambda: ["sandbox"])

    def make(self, order: Order, amount_minor: int = 1000, **more: Any) -> str:
        """A refund made by hand in the gateway's dashboard; no webhook ever tells of it. Its id."""
        body = {"reference": payment_of(order), "amount_minor": amount_minor, "currency": "EUR"}
        return self.make_raw(**{"behaviour": "no_webhook"} | body | more)["gateway_refund_id"]

    def make_raw(self, **body: Any) -> Any:
        return http("POST", f"{self.url}/gateway/refunds", body)

    def made_for(self, order: Order) -> list[str]:
        """What the gateway has of the order's payment, by its ids."""
        refunds = http("GET", f"{self.url}/gateway/ledger?reference={payment_of(order)}")["refunds"]
        return [refund["gateway_refund_id"] for refund in refunds]

    def becomes(self, gateway_refund_id: str, status: str) -> None:
        http("POST", f"{self.url}/gateway/refunds/{gateway_refund_id}/{status}")

    def script(self, order: Order, *entries: Any) -> None:
        http("PUT", f"{self.url}/gateway/scripts/{payment_of(order)}", {"refunds": list(entries)})

    def scan(self) -> int:
        """Read the gateway's list to its end; how many pages."""
        GatewayScan.objects.update(next_scan_at=clock.now())
        return drive(self.listings)

    def settle(self) -> None:
        """Look at every orphan, and at the refunds they are about, until nothing is due any more."""
        for _ in range(3):
            drive(self.orphans)
            drive(self.refunds)

    def find(self) -> None:
        """Scan, and settle what was found."""
        self.scan()
        self.settle()

    def later(self, by: timedelta = A_WHILE) -> None:
        """Time passes, and what is due then is done."""
        pass_time(by)
        self.settle()

    def run(self, *refunds: Refund) -> None:
        drive(self.refunds, *[str(refund.pk) for refund in refunds])


def share_the_payment(*orders: Order) -> None:
    """All of them on the payment of the first."""
    shares = [PaymentShare.objects.get(order=order) for order in orders]
    PaymentShare.objects.filter(order__in=orders).update(payment=shares[0].payment)
    captured = sum(share.captured_minor for share in shares)
    Payment.objects.filter(pk=shares[0].payment_id).update(total_minor=captured, allocated_minor=captured)


def payment_of(order: Order) -> str:
    return PaymentShare.objects.filter(order=order).order_by("id")[0].payment.reference


def sums(order: Order) -> dict[str, int]:
    """What stands in the order's first share, without what is 0."""
    share = PaymentShare.objects.filter(order=order).order_by("id")[0]
    names = ("reserved_minor", "refunded_minor", "excess_minor")
    return {name.removesuffix("_minor"): getattr(share, name) for name in names if getattr(share, name)}


def entries(*orders: Order) -> list[tuple[str, int]]:
    """What the ledger has of them besides captures, in order."""
    found = LedgerEntry.objects.filter(share__order__in=orders).exclude(kind="capture").order_by("id")
    return [(entry.kind, entry.amount_minor) for entry in found]


def cases(order: Order) -> list[str]:
    """The open ones about the order."""
    return sorted(Incident.objects.filter(order=order, closed_at=None).values_list("kind", flat=True))


def states(*references: str) -> list[str]:
    """Of these orphans; "none" for one that is not noted."""
    known = dict(Orphan.objects.values_list("reference", "state"))
    return [known.get(reference, "none") for reference in references]


def conditions(refund: Refund) -> dict[str, str]:
    """Reason by type."""
    return {c["type"]: c["reason"] for c in Refund.objects.get(pk=refund.pk).conditions}
