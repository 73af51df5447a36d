"""Contenders that take part only when they are asked for: `--with dbos,procrastinate`.

The work of the tuned chain (`benchmarks.peers.chain`), carried by a queue in PostgreSQL and two worker processes.
Nothing here imports the libraries; the processes that run them do.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from django.db import connection

from benchmarks.ground import Ground
from benchmarks.peers.dbos_queue import enqueue
from workers.local.children import Command

PROCESSES = 2
#: Of each process of procrastinate.
JOBS_AT_ONCE = 4
#: As `defer` calls it, for many.
_DEFER = """
SELECT procrastinate_defer_jobs_v1(array_agg(
    ROW('procrastinate', 'refund_order', 0, NULL, NULL, jsonb_build_object('refund_id', id), NULL)
        ::procrastinate_job_to_defer_v1))
FROM unnest(%s::bigint[]) AS id
"""


@dataclass(frozen=True)
class Dbos:
    """The chain as a durable workflow of two steps."""

    name: ClassVar[str] = "dbos"
    ground: Ground

    def schema(self) -> Command:
        """Makes its tables, beside those of the product."""
        program = Path(sys.executable).with_name("dbos")
        command = self.ground.product.manage("dbos")
        return replace(command, argv=[program, "migrate", "--sys-db-url", command.env["DATABASE_URL"]])

    def commands(self) -> list[Command]:
        argv = [sys.executable, "-m", "benchmarks.peers.dbos_worker", "--executor"]
        return [replace(one, argv=[*argv, one.name]) for one in _commands(self, "benchmarks.peers.tuned_settings")]

    def enqueue(self, refund_ids: Sequence[int]) -> None:
        enqueue(refund_ids)
        _analyse("dbos.workflow_status")


@dataclass(frozen=True)
class Procrastinate:
    """The chain as a task for the refund and one for its messages."""

    name: ClassVar[str] = "procrastinate"
    settings: ClassVar[str] = "benchmarks.peers.procrastinate_settings"
    ground: Ground

    def schema(self) -> Command:
        """Makes its tables, beside those of the product."""
        command = self.ground.product.manage("migrate", self.name, "--verbosity", "0")
        return replace(command, env=command.env | {"DJANGO_SETTINGS_MODULE": self.settings})

    def commands(self) -> list[Command]:
        options = f"--queues {self.name} --concurrency {JOBS_AT_ONCE}"
        argv = [sys.executable, "manage.py", self.name, "worker", *options.split()]
        return [replace(one, argv=argv) for one in _commands(self, self.settings)]

    def enqueue(self, refund_ids: Sequence[int]) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_DEFER, [list(refund_ids)])
        _analyse("procrastinate_jobs")


Extra = Dbos | Procrastinate
KINDS: dict[str, type[Extra]] = {"dbos": Dbos, "procrastinate": Procrastinate}


def _commands(extra: Extra, settings: str) -> list[Command]:
    """So many, still without a program; PostgreSQL knows the sessions of each by its name."""
    worker = extra.ground.product.worker()
    env = worker.env | {"DJANGO_SETTINGS_MODULE": settings}
    names = [f"{extra.name}-{n}" for n in range(1, PROCESSES + 1)]
    return [replace(worker, name=name, env=env | {"PGAPPNAME": name}) for name in names]


def _analyse(table: str) -> None:
    """A backlog that PostgreSQL does not know of yet would be looked for in an empty table."""
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {table}")
