"""Who breaks the processes: now this one, now that one, at random."""

import random
import signal
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

import psutil
import redis

from tests.processes import Stack

#: What befalls a victim, and how often of a hundred times.
WEIGHTS = {"killed": 84, "frozen": 12, "killed whole": 4}
FROZEN_SECONDS = (1.0, 5.0)


class Monkey:
    """Used from the main thread, which the processes are started from."""

    def __init__(self, stack: Stack, workers: Sequence[str], chance: random.Random, *, whole_workers: bool) -> None:
        self._stack = stack
        self._workers = workers
        self._chance = chance
        self._weights = WEIGHTS if whole_workers else {k: v for k, v in WEIGHTS.items() if k != "killed whole"}
        self._frozen: list[tuple[float, psutil.Process]] = []
        self.did: Counter[str] = Counter()
        #: When something was lost that a message could have been in: its sender, or what he wrote it down in. Of the
        #: frozen also when they went on, for then they send what somebody else has sent by now.
        self.losses: list[datetime] = []

    @property
    def strikes(self) -> int:
        return sum(self.did[what] for what in WEIGHTS)

    def strike(self) -> None:
        """One victim, among the pools' processes or the workers."""
        [what] = self._chance.choices([*self._weights], [*self._weights.values()])
        worker = self._chance.choice(self._workers)
        if what == "killed whole":
            self._stack.kill(worker)
            self._stack.start_again(worker)
        elif not self._hit(worker, freeze=what == "frozen"):
            return
        self._note(what)

    def empty_valkey(self) -> None:
        with redis.Redis.from_url(self._stack.redis_url) as client:
            client.flushall()
        self._note("Valkey emptied")

    def restart_valkey(self) -> None:
        """Gone, one process of each pool is killed meanwhile, and it is started again."""
        self._stack.kill("valkey")
        for worker in self._workers:
            if self._hit(worker, freeze=False):
                self._note("killed")
        self._stack.restart("valkey")
        self._note("Valkey restarted")

    def restart_postgres(self) -> None:
        self._stack.kill("postgres")
        self._note("PostgreSQL restarted")
        self._stack.restart("postgres")

    def wake(self, *, everybody: bool = False) -> None:
        """Those whose time is up go on."""
        now = time.monotonic()
        for until, process in [*self._frozen]:
            if everybody or until <= now:
                self._frozen.remove((until, process))
                with suppress(psutil.NoSuchProcess):
                    process.send_signal(signal.SIGCONT)
                self.losses.append(datetime.now(UTC))

    def _note(self, what: str) -> None:
        self.did[what] += 1
        self.losses.append(datetime.now(UTC))

    def _hit(self, worker: str, *, freeze: bool) -> bool:
        """False: there was nobody, or not any more. A worker that is only starting gives up when its pool is hit, and
        whoever runs it starts it anew: that is no story about refunds."""
        pool = self._stack.pids(worker)[1:] if self._stack.is_ready(worker) else []
        try:
            victim = psutil.Process(self._chance.choice(pool))
            victim.send_signal(signal.SIGSTOP if freeze else signal.SIGKILL)
        except (IndexError, psutil.NoSuchProcess):
            return False
        if freeze:
            self._frozen.append((time.monotonic() + self._chance.uniform(*FROZEN_SECONDS), victim))
        return True
