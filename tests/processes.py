"""The whole product as real processes, for the story tests.

    with Stack(CALL_SECONDS="1").running() as stack:
        requests.put(f"{stack.base_url}/api/v1/orders/1001", headers=stack.authorization("shop"), ...)
        stack.kill("worker")
        stack.restart("worker")

Each stack has its own database, Valkey, sandbox, inbox and ports; whatever happens, nothing of it stays.
"""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import psutil
import psycopg

from tests.databases import copied_database
from tests.servers import FORGETFUL, throwaway_home
from workers.local.children import Child, Children, Command
from workers.local.ports import free_port
from workers.local.postgres import ensure_database, start_postgres
from workers.local.product import READY, Addresses, Product, product_environment, start_product, wait_ready
from workers.local.valkey import start_valkey

# The engine's clocks, shortened so that a story takes seconds.
SHORT_TIMES = {
    "PUMP_SECONDS": "5",
    "LINGER_SECONDS": "1",
    "LEASE_SECONDS": "1.5",
    "CALL_SECONDS": "1.5",
    "RETRY_SECONDS": "0.5",
    "SETTLE_SECONDS": "0.5",
    "SWEEP_SECONDS": "0.5",
    "HARD_LIMIT_SECONDS": "15",
}
LOG_END = 6000
# Stands for the address of the stack that the demo shop is told of.
ANYWHERE = "http://anywhere.test"


@dataclass(frozen=True)
class _StoryProduct(Product):
    """The product, with a Celery app for the worker that may hold more than its own."""

    worker_app: str

    def worker(self) -> Command:
        command = super().worker()
        return replace(command, argv=[self.worker_app if part == "config" else part for part in command.argv])

    def further_web(self, name: str, port: int) -> Command:
        elsewhere = replace(self, addresses=replace(self.addresses, web=port))
        return replace(elsewhere.web(), name=name)

    def further_worker(self, name: str) -> Command:
        command = self.worker()
        return replace(command, name=name, argv=[*command.argv, "--hostname", f"{name}@%h"])


class Stack:
    """Its processes: sandbox, inbox, web, worker, scheduler, valkey, and postgres with `own_postgres`.

    Of several `workers` the others are worker-2, worker-3 and so on.
    """

    living: ClassVar[list["Stack"]] = []

    def __init__(
        self, *, own_postgres: bool = False, worker_app: str = "config", workers: int = 1, **environment: str
    ) -> None:
        self.addresses = Addresses()
        self.keys: dict[str, list[str]] = {}
        self.demo: dict[str, Any] = {}
        self._overrides = {**SHORT_TIMES, **environment}
        self._own_postgres = own_postgres
        self._worker_app = worker_app
        self.workers = ["worker", *(f"worker-{n}" for n in range(2, workers + 1))]
        self._processes: dict[str, Child] = {}

    @property
    def base_url(self) -> str:
        return self.addresses.base_url

    @property
    def sandbox_url(self) -> str:
        return self.addresses.sandbox_url

    @property
    def inbox_url(self) -> str:
        return self.addresses.inbox_url

    @contextmanager
    def running(self) -> Iterator["Stack"]:
        """Everything started and ready; stopped and forgotten at the end, where a failure is told the logs."""
        with ExitStack() as ending:
            self.home, lock = ending.enter_context(throwaway_home())
            self._children = Children(self.home.logs, inherited=[lock])
            dropping = ending.enter_context(ExitStack())
            ending.callback(self._children.stop)
            ending.enter_context(self._living())
            self._start(dropping)
            yield self
            self.check()

    @contextmanager
    def _living(self) -> Iterator[None]:
        self.living.append(self)
        try:
            yield
        except BaseException as error:
            for name, text in self.log_ends():
                error.add_note(f"--- {name}\n{text}")
            raise
        finally:
            self.living.remove(self)

    def rest(self) -> None:
        """Its tests are over: nothing of it works on beside those of others. Its database is still there."""
        self.check()
        for name in self._processes.keys() - {"postgres"}:
            self._children.kill(self._processes.pop(name))

    def authorization(self, role: str) -> dict[str, str]:
        """The header of the first demo key with this role."""
        return {"Authorization": f"Bearer {self.keys[role][0]}"}

    def send(self, name: str, number: signal.Signals) -> None:
        """A signal to the process and all its children, which it survives: SIGSTOP, SIGCONT."""
        os.killpg(self._processes[name].process.pid, number)

    def kill(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        """End the process and all its children, and wait until they are gone."""
        self._children.kill(self._processes[name], number)

    def check(self) -> None:
        """ChildFailed when a process has ended by itself."""
        self._children.check()

    def start_again(self, name: str) -> Child:
        """Start a killed process, same command and port; it is not ready yet."""
        child = self._processes[name] = self._children.start(self._processes[name].command)
        return child

    def restart(self, name: str) -> None:
        """Start a killed process again, and wait until it is ready."""
        child = self.start_again(name)
        if name == "valkey":
            self._children.wait_until(child, self.valkey.answers)
        elif name == "postgres":
            self._children.wait_until(child, self._postgres.answers)
        else:
            wait_ready(child, self._children, self.addresses)

    def is_ready(self, name: str) -> bool:
        """Whether a worker, or the scheduler, says so."""
        return self._processes[name].says(READY[name.partition("-")[0]])

    def start_further_web(self, name: str = "web-2") -> str:
        """One more web server, ready: its base URL. Whoever starts it ends it."""
        addresses = replace(self.addresses, web=free_port())
        child = self._processes[name] = self._children.start(self._product.further_web(name, addresses.web))
        wait_ready(child, self._children, addresses)
        return addresses.base_url

    def end(self, name: str) -> None:
        """End one that was started beside the others, as it should end."""
        self._children.kill(self._processes.pop(name), signal.SIGTERM)

    def pids(self, name: str) -> list[int]:
        """The process and its children, the oldest first."""
        leader = psutil.Process(self._processes[name].process.pid)
        return [leader.pid, *sorted(child.pid for child in leader.children(recursive=True))]

    def log(self, name: str) -> str:
        return self._processes[name].log.read_text(errors="replace")

    def manage(self, *arguments: str) -> None:
        """One manage.py command against this stack."""
        self._children.run(self._product.manage(*arguments))

    def query(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Rows of the stack's database; a statement without rows gives none."""
        with self.connect() as connection:
            cursor = connection.execute(statement, parameters)
            return cursor.fetchall() if cursor.description else []

    def connect(self) -> psycopg.Connection:
        return psycopg.connect(self.database_url, autocommit=True)

    def pass_time(self, seconds: float) -> None:
        """Move the business clock ahead, for all processes at once."""
        self.query(
            "INSERT INTO refundry_clock_offset AS clock (shift) VALUES (make_interval(secs => %s))"
            " ON CONFLICT (only_row) DO UPDATE SET shift = clock.shift + EXCLUDED.shift",
            seconds,
        )

    def log_ends(self) -> list[tuple[str, str]]:
        return [
            (f"end of {log.name}", log.read_text(errors="replace")[-LOG_END:])
            for log in sorted(self.home.logs.glob("*.log"))
            if log.stat().st_size
        ]

    def _start(self, dropping: ExitStack) -> None:
        self.valkey = start_valkey(self.home, self._children)
        self._processes["valkey"] = self.valkey.child
        self.redis_url = self.valkey.url()
        if self._own_postgres:
            self._postgres = start_postgres(self.home, self._children, FORGETFUL)
            self._processes["postgres"] = self._postgres.child
            self.database_url = ensure_database(self._postgres, "test_story")
            demo = self._fill(self.database_url)
        else:
            self.database_url, demo = dropping.enter_context(copied_database(self._fill))
        self.demo = json.loads(demo.replace(ANYWHERE, self.base_url))
        self.keys = self.demo["keys"]
        self._product = self._product_on(self.database_url, **self._overrides)
        self._processes |= start_product(self._product, self._children)
        for name in self.workers[1:]:
            self._processes[name] = self._children.start(self._product.further_worker(name))

    def _fill(self, database_url: str) -> str:
        """Migrate, and load the demo shop, with no clock shortened; what it says of itself, at `ANYWHERE`: other stacks
        copy the database."""
        self._product = self._product_on(database_url)
        self.manage("migrate", "--verbosity", "0")
        output = self.home.path / "demo-shop.json"
        self.manage("load_demo", "--output", str(output))
        return output.read_text().replace(self.base_url, ANYWHERE)

    def _product_on(self, database_url: str, **overrides: str) -> _StoryProduct:
        environment = product_environment(
            self.home, self.addresses, database_url=database_url, redis_url=self.redis_url
        )
        return _StoryProduct(self.home, self.addresses, {**environment, **overrides}, self._worker_app)
