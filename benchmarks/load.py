"""Load on a web server: requests for refunds, sent by a process of its own (`benchmarks.client`)."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workers.local.product import CHECKOUT

#: More than threads that serve (two processes of four), so that none of them waits for the client.
CONNECTIONS = 16
BATCH = 100
LIMIT_SECONDS = 300


@dataclass(frozen=True)
class Door:
    """Where refunds are asked for: single calls below `path`, or the bulk door, which takes `BATCH` in one call."""

    name: str
    port: int
    path: str
    key: str = "none"
    is_bulk: bool = False

    def requests(self, orders: Sequence[str], *, every: float = 0.0) -> list[tuple[float, str, Any]]:
        """A call for each order, or batch of orders; the n-th due after n times `every` seconds."""
        if self.is_bulk:
            batches = [orders[i : i + BATCH] for i in range(0, len(orders), BATCH)]
            calls = [(self.path, {"refunds": [{"order": o, "lines": "all"} for o in batch]}) for batch in batches]
        else:
            calls = [(self.path.format(order=order), {"lines": "all"}) for order in orders]
        return [(n * every, path, body) for n, (path, body) in enumerate(calls, start=1 if every else 0)]


@dataclass(frozen=True)
class Answer:
    """`due` and `answered` in seconds since the epoch."""

    due: float
    answered: float
    status: int
    body: Any

    @property
    def accepted(self) -> int:
        results = self.body.get("results", [self.body | {"status": self.status}])
        return sum(result["status"] == 202 for result in results)


@dataclass(frozen=True)
class Load:
    """What the client has sent, in the order of the requests; `cpu_seconds` is what it took itself."""

    answers: list[Answer]
    cpu_seconds: float

    @property
    def begun(self) -> float:
        return min(answer.due for answer in self.answers)

    @property
    def seconds(self) -> float:
        """From the first request to the last answer."""
        return max(answer.answered for answer in self.answers) - self.begun


class Refused(Exception):
    """Not every request was accepted, so there is no figure."""


def send(door: Door, orders: Sequence[str], *, every: float = 0.0) -> Load:
    """Ask for all that each order has paid, by a client process; raises Refused unless all are accepted."""
    plan = {"port": door.port, "key": door.key, "connections": CONNECTIONS}
    said = json.loads(_client(json.dumps(plan | {"requests": door.requests(orders, every=every)})))
    load = Load([Answer(*answer) for answer in said["answers"]], said["cpu_seconds"])
    if (accepted := sum(answer.accepted for answer in load.answers)) != len(orders):
        odd = next(answer for answer in load.answers if answer.accepted != (BATCH if door.is_bulk else 1))
        raise Refused(f"{door.name}: {accepted} of {len(orders)} accepted; one was answered {odd}"[:2000])
    return load


def _client(plan: str) -> str:
    command = [sys.executable, "-m", "benchmarks.client"]
    ran = subprocess.run(command, input=plan, capture_output=True, text=True, cwd=CHECKOUT, timeout=LIMIT_SECONDS)
    if ran.returncode:
        raise RuntimeError(f"the client failed: {ran.stderr[-2000:]}")
    return ran.stdout
