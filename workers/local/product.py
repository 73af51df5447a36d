"""The product's own processes on this machine: what each is called with, and when it is ready."""

import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from workers.local.children import Child, Children, Command
from workers.local.home import Home
from workers.local.ports import LOOPBACK, free_port

CHECKOUT = Path(__file__).resolve().parents[2]
PEERS, PRODUCT = 1, 2  # ranks: the product stops before the peers it talks to
WEB_WORKERS, WEB_THREADS, POOL_CHILDREN = 2, 4, 3
# Longer than clients and proxies keep theirs (mostly 60 s): who closes first must be the one who sends, for a request
# that meets a closing connection is reset, and its sender cannot know whether it was heard.
KEEP_ALIVE_SECONDS = 75
#: What the log of a process without a door says when it is ready.
READY = {"worker": " ready.", "scheduler": "beat: Starting"}


@dataclass(frozen=True)
class Addresses:
    """Where each part listens on the loopback address."""

    web: int = field(default_factory=free_port)
    sandbox: int = field(default_factory=free_port)
    inbox: int = field(default_factory=free_port)
    smtp: int = field(default_factory=free_port)

    @property
    def base_url(self) -> str:
        return _url(self.web)

    @property
    def sandbox_url(self) -> str:
        return _url(self.sandbox)

    @property
    def inbox_url(self) -> str:
        return _url(self.inbox)


@dataclass(frozen=True)
class Product:
    """Commands of the product's processes over one home, one environment and one set of addresses."""

    home: Home
    addresses: Addresses
    environment: Mapping[str, str]

    def manage(self, *arguments: str) -> Command:
        return self._command(f"manage-{arguments[0]}", [sys.executable, "manage.py", *arguments])

    def sandbox(self) -> Command:
        return self._peer("sandbox", "--port", str(self.addresses.sandbox))

    def inbox(self) -> Command:
        return self._peer("inbox", "--port", str(self.addresses.inbox), "--smtp-port", str(self.addresses.smtp))

    def web(self) -> Command:
        bind = f"{LOOPBACK}:{self.addresses.web}"
        options = f"--worker-class gthread --workers {WEB_WORKERS} --threads {WEB_THREADS}"
        options += f" --keep-alive {KEEP_ALIVE_SECONDS} --preload --graceful-timeout 2 --no-control-socket"
        return self._module("web", "gunicorn", "config.wsgi", "--bind", bind, *options.split())

    def worker(self) -> Command:
        options = f"--concurrency {POOL_CHILDREN} --loglevel INFO --without-gossip --without-mingle"
        command = self._module("worker", "celery", "--app", "config", "worker", *options.split())
        # An idle Celery already needs 2 s to say goodbye.
        return replace(command, stop_seconds=3.5)

    def scheduler(self) -> Command:
        schedule = str(self.home.path / "schedule")
        options = ["--loglevel", "INFO", "--schedule", schedule, "--pidfile", ""]
        return self._module("scheduler", "celery", "--app", "config", "beat", *options)

    def demo(self) -> Command:
        return replace(self._module("demo", "workers.local.demo", "load"), passing=True)

    def _peer(self, name: str, *arguments: str) -> Command:
        folder = self.home.path / name
        folder.mkdir(exist_ok=True)
        argv = [sys.executable, "-m", f"workers.local.{name}", *arguments, "--home", str(folder)]
        return self._command(name, argv, rank=PEERS)

    def _module(self, name: str, *arguments: str) -> Command:
        return self._command(name, [sys.executable, "-m", *arguments])

    def _command(self, name: str, argv: list[str], rank: int = PRODUCT) -> Command:
        return Command(name, argv, dict(self.environment), rank=rank, cwd=CHECKOUT)


def start_product(product: Product, children: Children) -> dict[str, Child]:
    """Start everything at once, and return the children by name when each is ready."""
    commands = [product.sandbox(), product.inbox(), product.web(), product.worker(), product.scheduler()]
    started = {command.name: children.start(command) for command in commands}
    for child in started.values():
        wait_ready(child, children, product.addresses)
    return started


def wait_ready(child: Child, children: Children, addresses: Addresses) -> None:
    """Wait until the process does its work: an HTTP door answers, or its log says so."""
    doors = {
        "sandbox": f"{addresses.sandbox_url}/healthz",
        "inbox": f"{addresses.inbox_url}/healthz",
        "web": f"{addresses.base_url}/readyz",
    }
    name = child.command.name.partition("-")[0]  # "worker-2" is a worker
    if name in doors:
        children.wait_until(child, lambda: _answers(doors[name]))
    else:
        children.wait_until(child, lambda: child.says(READY[name]))


def product_environment(home: Home, addresses: Addresses, *, database_url: str, redis_url: str) -> dict[str, str]:
    """The settings of a local installation; what the caller's environment already says wins."""
    identity = home.identity()
    peer = {"adapter": "http", "secret": identity.gateway_secret}
    gateway = {**peer, "base_url": f"{addresses.sandbox_url}/v1", "voids": True, "payouts": True}
    courier = {**peer, "base_url": f"{addresses.sandbox_url}/courier/v1"}
    webhooks = f"{addresses.base_url}/api/v1/webhooks"
    ours = {
        "SECRET_KEY": identity.secret_key,
        "NUMBER_PREFIX": identity.number_prefix,
        "BASE_URL": addresses.base_url,
        "SANDBOX_SECRET": identity.gateway_secret,
        "SANDBOX_WEBHOOK_URL": f"{webhooks}/sandbox",
        "SANDBOX_COURIER_WEBHOOK_URL": f"{webhooks}/sandbox-courier",
        "GATEWAY_ACCOUNTS": json.dumps({"sandbox": gateway, "store-credit": {"adapter": "store_credit"}}),
        "COURIER_ACCOUNTS": json.dumps({"sandbox-courier": courier}),
        "EMAIL_URL": f"smtp://{LOOPBACK}:{addresses.smtp}",
        "SMS_URL": f"{addresses.inbox_url}/sms",
        "SMS_SECRET": identity.sms_secret,
        "DEMO_FILE": str(home.demo),
        "WEBHOOKS_ALLOW_PRIVATE": "1",
        "DECLARED_SECRETS": "env:SHOP_{CHANNEL}__*,env:SANDBOX_SECRET,file:/run/secrets/{channel}/*",
    }
    fixed = {
        "DATABASE_URL": database_url,
        "REDIS_URL": redis_url,
        "REFUNDRY_HOME": str(home.path),
        "PYTHONUNBUFFERED": "1",
    }
    return {**ours, **os.environ, **fixed}


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2):
            return True
    except (urllib.error.URLError, TimeoutError, ConnectionError):
        return False


def _url(port: int) -> str:
    return f"http://{LOOPBACK}:{port}"
