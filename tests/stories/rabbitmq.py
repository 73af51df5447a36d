"""A RabbitMQ for one story: a node of its own on the loopback, whose home is thrown away.

Its port mapper (epmd) is a child as well, or Erlang would leave one behind for the whole machine.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers import throwaway_home
from workers.local.children import Child, Children, Command
from workers.local.home import Home
from workers.local.ports import LOOPBACK, free_port

INSTALL = "apt-get install --no-install-recommends rabbitmq-server"
#: What the package puts on PATH insists on the account and the folders of the system's own server.
SERVERS = Path("/usr/lib/rabbitmq/lib")
READY = "Server startup complete"


@dataclass
class RabbitMQ:
    children: Children
    server: Child
    port: int

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@{LOOPBACK}:{self.port}//"

    def kill(self) -> None:
        self.children.kill(self.server)

    def restart(self) -> None:
        """With what it has kept on disk; return when it is ready."""
        self.server = self.children.start(self.server.command)
        self.children.wait_until(self.server, lambda: self.server.says(READY))


@contextmanager
def running_rabbitmq() -> Iterator[RabbitMQ]:
    server, epmd = _programs()
    with throwaway_home() as (home, lock):
        children, port = Children(home.logs, inherited=[lock]), free_port()
        environment = _environment(home, port)
        mapper = [epmd, "-port", environment["ERL_EPMD_PORT"], "-address", LOOPBACK]
        try:
            children.start(Command("epmd", mapper, environment, rank=0))
            rabbitmq = RabbitMQ(children, children.start(Command("rabbitmq", [server], environment, rank=1)), port)
            children.wait_until(rabbitmq.server, lambda: rabbitmq.server.says(READY))
            yield rabbitmq
        finally:
            children.stop()


def _programs() -> tuple[Path, str]:
    """The server and epmd. Where they are missing the story is skipped, or fails under REQUIRE_RABBITMQ=1."""
    servers, epmd = sorted(SERVERS.glob("rabbitmq_server-*/sbin/rabbitmq-server")), shutil.which("epmd")
    if servers and epmd:
        return servers[-1], epmd
    message = f"RabbitMQ is not installed: {INSTALL}"
    if os.environ.get("REQUIRE_RABBITMQ") == "1":
        pytest.fail(message)
    pytest.skip(message)


def _environment(home: Home, port: int) -> dict[str, str]:
    """Nothing of the system's own server is read or written."""
    return {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "HOME": str(home.path),
        "ERL_EPMD_PORT": str(free_port()),
        "ERL_EPMD_ADDRESS": LOOPBACK,
        "RABBITMQ_NODENAME": f"refundry{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": LOOPBACK,
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_MNESIA_BASE": str(home.path / "mnesia"),
        "RABBITMQ_LOG_BASE": str(home.logs),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_CONF_ENV_FILE": os.devnull,
        "RABBITMQ_CONFIG_FILE": str(home.path / "rabbitmq"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(home.path / "plugins"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-start_epmd false -kernel inet_dist_use_interface {127,0,0,1}",
    }
