"""Who takes part: how each is given its backlog, and with which processes it works it off."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from benchmarks import extras
from benchmarks.ground import Ground
from benchmarks.peers.tuned import app as tuned_app
from workers.local.children import Command
from workers.wake import wake

#: By process, what its log says when it is ready; "dbos-1" is a dbos.
READY = {
    "scheduler": "beat: Starting",
    "worker": " ready.",
    "tuned": " ready.",
    "naive": " ready.",
    "dbos": " ready.",
    "procrastinate": "Starting worker on",
}


@dataclass(frozen=True)
class Ours:
    """The product as shipped: its worker (so many pumps at once, one child more for the sweep) and its scheduler.

    `wiring` is the module to include that gives it its gateway and its messengers.
    """

    name: ClassVar[str] = "ours"
    ground: Ground
    wiring: str
    pumps: int = 2

    def enqueue(self, refund_ids: Sequence[int]) -> None:
        if not wake("refunds", [str(i) for i in refund_ids]):
            raise RuntimeError("the queue did not take the backlog")

    def commands(self) -> list[Command]:
        scheduler, worker = self.ground.product.scheduler(), self.ground.product.worker()
        argv = [*worker.argv, "--concurrency", str(self.pumps + 1), "--include", self.wiring]
        pumps = {"PUMPS": str(self.pumps)}
        return [replace(scheduler, env=scheduler.env | pumps), replace(worker, argv=argv, env=worker.env | pumps)]


@dataclass(frozen=True)
class Tuned:
    """The plain Django + Celery chain of `benchmarks.peers`: prefork 2, connections kept, no results."""

    name: ClassVar[str] = "tuned"
    settings: ClassVar[str] = "benchmarks.peers.tuned_settings"
    ground: Ground
    wiring: str

    def enqueue(self, refund_ids: Sequence[int]) -> None:
        with tuned_app.producer_pool.acquire(block=True) as producer:
            for refund_id in refund_ids:
                tuned_app.send_task("refund_order", [refund_id], producer=producer, queue=self.name)

    def commands(self) -> list[Command]:
        options = f"--concurrency 2 --loglevel INFO --without-gossip --without-mingle --include {self.wiring}"
        argv = [sys.executable, "-m", "celery", "--app", f"benchmarks.peers.{self.name}", "worker", *options.split()]
        worker = self.ground.product.worker()
        return [replace(worker, name=self.name, argv=argv, env=worker.env | {"DJANGO_SETTINGS_MODULE": self.settings})]


@dataclass(frozen=True)
class Naive(Tuned):
    """The same chain with a connection for each task."""

    name: ClassVar[str] = "naive"
    settings: ClassVar[str] = "config.settings"


Contender = Ours | Tuned | extras.Extra
