"""One run of chaos: customers and people do their work, the monkey his, and then somebody judges."""

import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from tests.chaos.customers import Customers
from tests.chaos.monkey import Monkey
from tests.chaos.onlooker import Onlooker
from tests.chaos.people import People
from tests.chaos.plan import Plan
from tests.chaos.verdict import Judge, Verdict, left_in_redis
from tests.stories.shop import Shop

TELL_SECONDS = 5.0
LOOK_SECONDS = 0.5

Tell = Callable[[str], None]

_PROGRESS = """
SELECT count(*), count(*) FILTER (WHERE refund.finished_at IS NOT NULL), count(*) FILTER (
    WHERE refund.next_reconcile_at IS NULL AND NOT EXISTS (
        SELECT FROM refunds_notification WHERE refund_id = refund.id AND next_reconcile_at IS NOT NULL))
FROM refunds_refund refund JOIN orders_order "order" ON "order".id = refund.order_id WHERE "order".number LIKE %s
"""


class Run:
    def __init__(self, shop: Shop, plan: Plan, tell: Tell) -> None:
        self._stack = shop.stack
        self._plan = plan
        self._tell = tell
        self._prefix = f"chaos-{uuid.uuid4().hex[:6]}"
        self._purchases = {purchase.number: purchase for purchase in plan.purchases(self._prefix)}
        self._stopping = threading.Event()
        self._onlooker = Onlooker(shop.stack)
        self._customers = Customers(shop, self._stopping)
        self._people = People(shop, self._purchases, self._prefix)
        self._monkey = Monkey(self._stack, self._stack.workers, plan.chance("monkey"), whole_workers=plan.whole_workers)
        self._seen = (0, 0, 0)
        self._judge = Judge(shop, self._purchases, self._prefix)
        self._events = sorted(
            [(share, self._monkey.empty_valkey) for share in plan.emptied_at]
            + [(share, self._monkey.restart_valkey) for share in plan.valkey_at]
            + [(share, self._monkey.restart_postgres) for share in plan.postgres_at],
            key=lambda event: event[0],
        )

    def __call__(self) -> Verdict:
        """Everything; what is broken at the end is told, not raised."""
        self._begun = time.monotonic()
        with ThreadPoolExecutor(2, "chaos") as pool:
            asking = pool.submit(self._customers.ask_for_everything, self._purchases.values())
            working = pool.submit(self._people.work, self._stopping)
            try:
                is_over = self._break_things_until_the_end([asking, working])
            finally:
                self._stopping.set()
                self._monkey.wake(everybody=True)
                self._onlooker.close()
        took = time.monotonic() - self._begun
        with self._quiet():
            verdict = self._judge.judge(self._monkey.losses, share_repeated=self._plan.share_repeated)
        verdict.expect(is_over, f"not over within {self._plan.limit_seconds:g} s")
        verdict.facts |= {what: count for what, count in sorted(self._monkey.did.items())}
        verdict.facts |= {"requests repeated by clients": self._customers.repeated, "seconds": round(took)}
        self._tell(verdict.text())
        return verdict

    def _break_things_until_the_end(self, others: list[Future[None]]) -> bool:
        strike_at = tell_at = self._begun
        while (now := time.monotonic()) < self._begun + self._plan.limit_seconds:
            self._raise_failures(others)
            known, ended, at_rest = self._progress()
            if at_rest == self._plan.refunds:
                return True
            self._let_happen(ended)
            self._monkey.wake()
            if now >= strike_at and self._monkey.strikes < self._plan.most_strikes:
                strike_at = now + self._plan.strike_seconds
                self._monkey.strike()
            if now >= tell_at:
                tell_at = now + TELL_SECONDS
                self._tell(self._line(known, ended))
            time.sleep(LOOK_SECONDS)
        return False

    def _raise_failures(self, others: list[Future[None]]) -> None:
        self._stack.check()
        for future in others:
            if future.done():
                future.result()

    def _let_happen(self, ended: int) -> None:
        while self._events and ended >= self._events[0][0] * self._plan.refunds:
            self._events.pop(0)[1]()

    def _progress(self) -> tuple[int, int, int]:
        """Refunds that exist, that have ended, and that nothing will be done about any more."""
        rows = self._onlooker.look(_PROGRESS, f"{self._prefix}-%")
        self._seen = rows[0] if rows else self._seen
        return self._seen

    def _line(self, known: int, ended: int) -> str:
        did = ", ".join(f"{what} {count}" for what, count in sorted(self._monkey.did.items()))
        return f"  {time.monotonic() - self._begun:4.0f} s  asked {known:6}  ended {ended:6}  {did}"

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        """Nothing new is begun meanwhile: wait until all that was known of keys has been dealt with, leases of the
        killed have ended, and messages that nobody acknowledged have come again."""
        self._stack.send("scheduler", signal.SIGSTOP)
        try:
            deadline = time.monotonic() + self._plan.quiet_seconds
            while left_in_redis(self._stack) and time.monotonic() < deadline:
                time.sleep(LOOK_SECONDS)
            yield
        finally:
            self._stack.send("scheduler", signal.SIGCONT)
