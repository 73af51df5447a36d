"""The queue's operations, one script each. What a script does is told at its head."""

import random
import secrets
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any

import redis

from workers.workqueue.bell import Bell
from workers.workqueue.outcome import Outcome
from workers.workqueue.stats import BOUNDS_MS, Stats, read_stats
from workers.workqueue.whereabouts import Whereabouts, read_whereabouts

# Larger additions are cut, so that one script never holds up the others for long.
ADD_AT_ONCE = 1000


class Band(StrEnum):
    """HIGH is what somebody waits for; LOW is the sweep's, and gets an eighth of a batch while both have work."""

    HIGH = "high"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class QueueSpec:
    """One queue: its share of a batch against the others, and the back-off of its keys in seconds."""

    name: str
    weight: float = 1.0
    base: float = 1.0
    cap: float = 60.0
    jitter: float = 0.5


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to work on a key until it ends or is finished; whoever holds the token holds the key.

    `queued`: seconds since it was first added. `failures`: syncs in a row that failed. `reclaims`: workers lost with
    the key in hand, `crashes_alone` those of them that held nothing else. `alone`: it was handed out to a pump that
    held nothing else.
    """

    queue: str
    key: str
    token: str
    queued: float = 0.0
    failures: int = 0
    reclaims: int = 0
    crashes_alone: int = 0
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Added:
    """`news`: keys that were neither waiting nor remembered. `send_message`: nobody listens, start a pump."""

    news: int
    send_message: bool


@dataclass(frozen=True, slots=True)
class Taken:
    """`registered` False: go away, there are enough pumps or nothing to do. `left`: keys still waiting, by queue.
    `next_due`: seconds until a delayed key or a lost lease is due. `drain`: take nothing until your hands are empty.
    `untold`: nothing is handed out, since Redis has been emptied and nobody has declared which queues are paused."""

    leases: list[Lease]
    registered: bool
    left: Mapping[str, int]
    next_due: float | None
    drain: bool
    untold: bool


@dataclass(frozen=True, slots=True)
class Finished:
    """`refused`: leases that were no longer held, nothing was done for them. `waiting`: keys in line again.
    `next_due`: seconds until the first of the keys put off here is due."""

    refused: list[Lease]
    waiting: int = 0
    next_due: float | None = None


class WorkQueue:
    """All queues of one installation. Thread-safe as its client is.

    `prefix` tells installations on one Redis apart; in it the hash tag keeps everything on one node.
    """

    def __init__(
        self,
        client: redis.Redis,
        specs: Sequence[QueueSpec],
        *,
        prefix: str = "{refundry}",
        lease_seconds: float = 5.0,
        most_pumps: int = 2,
    ) -> None:
        self.client = client
        self.specs: Mapping[str, QueueSpec] = {spec.name: spec for spec in specs}
        self.lease_seconds = lease_seconds
        self.most_pumps = most_pumps
        self._prefix = prefix
        self._lease_ms = _ms(lease_seconds)
        self._limits = {spec.name: (_ms(spec.base), _ms(spec.cap), spec.jitter) for spec in specs}
        self._scripts = {name: client.register_script(source) for name, source in _SOURCES.items()}

    def add(self, queue: str, keys: Iterable[str], *, band: Band = Band.HIGH, delay: float = 0.0) -> Added:
        """Add keys to the tail of a band, now or after `delay` seconds (the earliest of several delays counts)."""
        news, send = 0, False
        rest = iter(keys)
        while chunk := list(islice(rest, ADD_AT_ONCE)):
            reply = self._run("add", [queue, band.value, self.most_pumps, _ms(delay), *chunk])
            news += reply[0]
            send = send or bool(reply[1])
        return Added(news, send)

    def get(
        self, pump: str, n: int | Mapping[str, int], *, held: int = 0, stay: bool = False, told: bool = False
    ) -> Taken:
        """Register the pump and lease up to n keys of all queues in weighted turn; n by queue: no more of each, none of
        one that is left out, and in all no more than the largest.

        `held`: leases the pump has in hand. With nothing left anywhere the pump is deregistered, unless it holds
        something or wants to `stay` and listen for the bell. `told`: only once it is declared which queues are paused.
        """
        most = dict.fromkeys(self.specs, n) if isinstance(n, int) else n
        in_all, token = max(most.values(), default=0), secrets.token_hex(8)
        head = [in_all, pump, token, held, self._lease_ms, self.most_pumps, _seed(), int(stay), int(told)]
        shares = [
            part
            for name, spec in self.specs.items()
            for part in (name, spec.weight, most.get(name, 0), *self._limits[name])
        ]
        state, left, due, now, *rows = self._run("get", head + shares)
        leases = self._read_leases(rows, f"{pump}/{token}@{now}")
        return Taken(
            leases, state != 0, dict(zip(self.specs, left, strict=False)), _seconds(due), state == 2, state == 3
        )

    def finish(
        self, outcomes: Sequence[tuple[Lease, Outcome]], *, counts: Mapping[tuple[str, str], int] | None = None
    ) -> Finished:
        """Give each lease its one outcome. `counts` by (queue, what) are added to what `stats` tells of the queues."""
        if not outcomes:
            return Finished([])
        by_queue: dict[str, list[tuple[Lease, Outcome]]] = defaultdict(list)
        for lease, outcome in outcomes:
            by_queue[lease.queue].append((lease, outcome))
        brought = [part for (queue, what), n in (counts or {}).items() for part in (f"{queue}:{what}", n)]
        arguments: list[Any] = [_seed(), len(brought) // 2, *brought]
        for name, group in by_queue.items():
            arguments += [name, *self._limits[name], len(group)]
            for lease, outcome in group:
                arguments += (lease.key, lease.token, outcome.kind.value, _ms(outcome.seconds))
        waiting, due, *refused = self._run("finish", arguments)
        in_order = [lease for group in by_queue.values() for lease, _ in group]
        return Finished([in_order[position] for position in refused], waiting, _seconds(due))

    def extend(self, pump: str, leases: Sequence[Lease]) -> list[Lease]:
        """Renew the pump's registration and its leases. Returns those it no longer holds."""
        held = [part for lease in leases for part in (lease.queue, lease.key, lease.token)]
        return [leases[position] for position in self._run("extend", [pump, self._lease_ms, *held])]

    def leave(self, pump: str) -> bool:
        """Deregister. True: work is left that nobody is sure to come for; send a message for another pump."""
        return bool(self._run("leave", [pump, self.most_pumps, *self.specs]))

    def summon(self, *, sibling: bool = False) -> bool:
        """Ring for a pump if there is work. True: nobody listens, send a message for one.

        Without `sibling` a pump that has just come for work is trusted to come again."""
        return bool(self._run("summon", [self.most_pumps, int(sibling), *self.specs]))

    def bell(self) -> Bell:
        """A listener of its own; one thread may wait on it while another interrupts."""
        return Bell(self.client, f"{self._prefix}::bell")

    def stats(self) -> Stats:
        """What is waiting and running, per queue, what was counted since Redis was last empty, and the pumps."""
        names = list(self.specs)
        return read_stats(names, self._run("stats", names))

    def find(self, queue: str, key: str) -> Whereabouts:
        """Where one key is, and what is remembered of it."""
        return read_whereabouts(self._run("find", [queue, key]))

    def forget(self, queue: str, key: str) -> bool:
        """Forget that the key failed or cost workers; where it waits, it stays. True if there was something."""
        with self.client.pipeline() as pipe:
            for part in ("failures", "crashes"):
                pipe.hdel(f"{self._prefix}:{queue}:{part}", key)
            return any(pipe.execute())

    def declare_paused(self, read: Callable[[], Collection[str]]) -> Collection[str]:
        """The queues that `read` returns, and no others, hand out nothing. What is added waits, and what is in hand is
        finished. Of several who read at once the last one to begin counts: nobody declares what he read before."""
        turn = self._run("turn", [])
        queues = read()
        self._run("pause", [turn, *queues])
        return queues

    def _read_leases(self, rows: Sequence[Any], token: str) -> list[Lease]:
        names = list(self.specs)
        leases, values = [], iter(rows)
        for position in values:
            name, key, queued = names[abs(position) - 1], _text(next(values)), next(values) / 1000
            if position > 0:
                leases.append(Lease(name, key, token, queued))
            else:
                failures, reclaims, crashes, alone = islice(values, 4)
                leases.append(Lease(name, key, token, queued, failures, reclaims, crashes, bool(alone)))
        return leases

    def _run(self, script: str, arguments: Sequence[Any]) -> Any:
        return self._scripts[script](keys=[self._prefix], args=arguments)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _seconds(ms: int) -> float | None:
    return None if ms < 0 else ms / 1000


def _seed() -> int:
    return random.getrandbits(31)


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


_FOLDER = Path(__file__).parent
_COMMON = f"local BOUNDS = {{{','.join(map(str, BOUNDS_MS))}}}\n" + (_FOLDER / "common.lua").read_text()
_SOURCES = {
    name: _COMMON + (_FOLDER / f"{name}.lua").read_text()
    for name in ("add", "get", "finish", "extend", "leave", "summon", "stats", "find", "turn", "pause")
}
