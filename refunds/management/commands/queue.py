"""What an operator may do to the queues."""

from collections.abc import Collection, Sequence
from typing import Any

import redis
from django.core.management.base import CommandError, CommandParser

from refunds.management.keys import KEY_HELP, parse_key
from refunds.management.plain import PlainCommand
from refunds.services import pauses
from workers import bootstrap
from workers.wake import send_pump
from workers.workqueue import Band, QueueStats, Stats, Whereabouts

NAMES = tuple(spec.name for spec in bootstrap.QUEUES)
_COLUMNS = ("QUEUE", "DEPTH", "HIGH", "LOW", "SUSPECT", "DELAYED", "IN HAND", "OLDEST", "LONGEST", "PAUSED")


class Command(PlainCommand):
    help = "Look at the queues, stop and start them, and act on one key. Exits with 1 where Redis does not answer."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("stats", help="what waits and runs now; exit 0 says that a worker here would find its queue")
        for name, text in (
            ("pause", "hand out nothing more: what is in hand is finished, what is added waits"),
            ("resume", "hand out again, and call for a pump"),
        ):
            act = acts.add_parser(name, help=text)
            act.add_argument("queues", nargs="*", metavar="QUEUE", help=f"of {', '.join(NAMES)}; none named: all")
        for name, text in (
            ("forget", "forget that the key failed or cost workers; where it waits, and until when, it stays"),
            ("requeue", "add the key to the high band now, whatever it waits for"),
        ):
            acts.add_parser(name, help=text).add_argument("key", help=KEY_HELP)

    def handle(self, *_: Any, act: str, **named: Any) -> None:
        try:
            getattr(self, act)(**{name: named[name] for name in ("queues", "key") if name in named})
        except redis.RedisError as error:
            raise CommandError(f"Redis does not answer: {error}") from error

    def stats(self) -> None:
        """A line per queue; seconds where it says OLDEST (first in line) and LONGEST (in hand)."""
        self.stdout.write(stats_table(bootstrap.impatient_workqueue().stats()))

    def pause(self, queues: Sequence[str]) -> None:
        pauses.pause(_known(queues))
        self._declare()

    def resume(self, queues: Sequence[str]) -> None:
        pauses.resume(_known(queues))
        self._declare()
        if bootstrap.impatient_workqueue().summon(sibling=True):
            send_pump()

    def forget(self, key: str) -> None:
        queue, name = parse_key(key)
        had = bootstrap.impatient_workqueue().forget(queue, name)
        self.stdout.write(f"{queue}/{name}: {'its failures are forgotten' if had else 'nothing was remembered of it'}")

    def requeue(self, key: str) -> None:
        queue, name = parse_key(key)
        work = bootstrap.impatient_workqueue()
        added = work.add(queue, [name], band=Band.HIGH)
        if added.send_message:
            send_pump()
        self.stdout.write(f"{queue}/{name}: {_standing(work.find(queue, name), is_news=bool(added.news))}")

    def _declare(self) -> None:
        try:
            told = _paused(bootstrap.impatient_workqueue().declare_paused(pauses.paused_queues))
        except redis.RedisError as error:
            raise CommandError(f"{_paused(pauses.paused_queues())}, as soon as Redis answers: {error}") from error
        self.stdout.write(told)


def _paused(queues: Collection[str]) -> str:
    return f"paused: {', '.join(queues) or 'none'}"


def _known(queues: Sequence[str]) -> Sequence[str]:
    if unknown := set(queues) - set(NAMES):
        raise CommandError(f"No such queue: {', '.join(sorted(unknown))}. Queues: {', '.join(NAMES)}.")
    return queues or NAMES


def stats_table(stats: Stats) -> str:
    rows = [_COLUMNS, *(_row(name, queue) for name, queue in stats.queues.items())]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    pumps = f"pumps: {stats.pumps} of {bootstrap.workqueue().most_pumps}, {stats.listening} waiting for work"
    return "\n".join([*lines, pumps])


def _row(name: str, queue: QueueStats) -> tuple[str, ...]:
    numbers = (queue.depth, queue.high, queue.low, queue.suspects, queue.delayed, queue.leases)
    seconds = (f"{queue.oldest_seconds:.1f}s", f"{queue.longest:.1f}s")
    return (name, *map(str, numbers), *seconds, "yes" if queue.paused else "no")


def _standing(at: Whereabouts, *, is_news: bool) -> str:
    if at.again:
        told = "held by a pump, runs once more afterwards"
    else:
        told = "added" if is_news else "waits already, now in the high band"
    return f"{told}; the queue is paused" if at.paused else told
