"""What a reconciler promises to the runtime, and what it may count on.

One pass over a key:

    begin(leases, room)       T1, one transaction for the batch. Take a slot with `room.take(account)` for every
                              call that is claimed; no room: the outcome `after(room.wait_ms(account) / 1000)`.
    perform(call, budget)     on a pool thread, with no database, within `budget`, which runs from before `begin`.
                              Returns any value.
    record(answers)           T2, one transaction for whatever has come. Never claims.

Every leased key is in exactly one place of what `begin` returns: `outcomes` (done with it), `calls` (finished once
its calls are answered), `skipped` (its order was locked by another), or `raised` (as below, where the claims of others
are committed already). `begin` is called again with one lease and `wait_ms`, the time it may wait for the lock; a key
skipped even then comes back after 0.2 s.

A key comes from outside: one that names nothing ends `terminal` with one warning, one whose row is gone ends `ok`. What
`begin` or `record` says of a key that it was not given is logged and left out; the calls of the others start.

`record` returns an outcome for every key whose answers it has stored. A key left out was not recorded (its order
was locked): its answers are kept and come again, that key alone, with `wait_ms`. While other calls of the key are
out its outcome is held back; the one of its last answer counts.

An exception out of a batch makes the runtime repeat it key by key, so the transaction must have rolled back. A key that
raises alone ends as `error` (or `terminal` for a TerminalError) and `failed` is told, outside any transaction. A
database error is not the key's fault: it comes back later and nothing is counted.

Database work happens on one thread, the pump's own. The runtime opens no transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from workers.ports import Budget
from workers.room import Room
from workers.workqueue import Lease, Outcome


class TerminalError(Exception):
    """Repeating will not help: the key is left alone until something about it changes."""


class CallAbandoned(Exception):
    """The call outlived its deadline. What became of it outside is unknown."""


@dataclass(frozen=True, slots=True)
class Call:
    """One claimed call to the outside. `seconds` is its total deadline; `payload` is the reconciler's own; `leg` what
    kind of effect it is counted as."""

    key: str
    account: str
    seconds: float
    payload: object
    leg: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a call: `reply` as returned by `perform`, or `error` when it raised or was abandoned (unknown)."""

    call: Call
    reply: object = None
    error: BaseException | None = None


@dataclass(slots=True)
class Begun:
    """Where each key of a batch stands after T1."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    raised: dict[str, Exception] = field(default_factory=dict)


class Reconciler(Protocol):
    """One controller. `queue` names its queue; all keys are strings."""

    queue: str

    def begin(self, leases: Sequence[Lease], room: Room, *, wait_ms: int | None = None) -> Begun:
        """T1: decide, write and claim for all leases. `wait_ms` None: skip what is locked."""

    def perform(self, call: Call, budget: Budget) -> object:
        """Make the call. An exception counts as an unknown outcome."""

    def is_healthy(self, reply: object) -> bool:
        """Whether this reply shows an account that works: a decline does, a 5xx, 429 or time-out does not."""

    def record(self, answers: Sequence[Answered], *, wait_ms: int | None = None) -> dict[str, Outcome]:
        """T2: store the answers and decide again. Keys left out were not recorded."""

    def due(self, limit: int) -> list[str]:
        """The next page of keys whose clock has run out, oldest first, wrapping round."""

    def failed(self, key: str, error: BaseException, failures: int) -> None:
        """A sync of the key raised, `failures` times in a row by now: move its next look by back-off."""

    def stalled(self, key: str) -> None:
        """The key alone has killed several workers: show it, and look again much later."""
