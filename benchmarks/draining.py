"""A contender's processes work off a backlog: warmed up, held while it is queued, and proved."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.db import connection

from benchmarks.clones import Seed, clone
from benchmarks.contenders import Contender
from benchmarks.cost import cpu_seconds
from benchmarks.crews import Crew, standing, working
from benchmarks.moments import wait_until_done
from benchmarks.proof import prove
from benchmarks.rounds import Ran

_TOOK = """
SELECT extract(epoch FROM
    (SELECT max(greatest(r.finished_at, n.sent_to_provider_at))
        FROM refunds_notification n JOIN refunds_refund r ON r.id = n.refund_id WHERE r.id = ANY(%s))
    - (SELECT min(first_sent_at) FROM refunds_gatewayrefund WHERE refund_id = ANY(%s)))::float
"""


def drained(contender: Contender, crew: Crew, backlog: Seed, *, first: int, seconds: float) -> Ran:
    """A backlog that should last so long, sized by that many refunds worked off before it, which are its least size."""
    ran = work_off(contender, crew, clone(backlog, first))
    return work_off(contender, crew, clone(backlog, max(first, round(ran.rate * seconds))))


@contextmanager
def running(contender: Contender) -> Iterator[Crew]:
    """Its processes, started anew on an empty Valkey; they stand still until there is something to work off."""
    with standing(contender.ground.children, contender.commands()) as processes:
        yield list(processes.values())


def work_off(contender: Contender, crew: Crew, refund_ids: Sequence[int]) -> Ran:
    """Queued while they stand still; proved when all is done."""
    roots = {"Python": [child.process.pid for child in crew]} | contender.ground.roots()
    contender.enqueue(refund_ids)
    before = cpu_seconds(roots)
    with working(crew):
        wait_until_done(contender.ground.children, crew[-1])
        used = {name: seconds - before[name] for name, seconds in cpu_seconds(roots).items()}
    prove(refund_ids)
    return Ran(contender.name, len(refund_ids), _seconds(refund_ids), used)


def _seconds(refund_ids: Sequence[int]) -> float:
    with connection.cursor() as cursor:
        cursor.execute(_TOOK, [[*refund_ids], [*refund_ids]])
        return cursor.fetchone()[0]
