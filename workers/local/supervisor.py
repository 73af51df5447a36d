"""Keeps all parts of Refundry on one machine: `python -m workers.local.supervisor up`.

Starts what is needed in order, says where it is, and watches. Ctrl-C, SIGTERM, or the end of any one process
stops everything; nothing outlives this process, whatever ends it.
"""

import argparse
import json
import os
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

from workers.local.addresses import PortUnusable, lasting_addresses
from workers.local.binaries import ServerMissing
from workers.local.children import ChildFailed, Children
from workers.local.home import Home, HomeInUse, write_private
from workers.local.postgres import ensure_database, start_postgres
from workers.local.product import CHECKOUT, Addresses, Product, product_environment, start_product
from workers.local.stopping import StopAsked, be_deaf, listen_for_stop
from workers.local.valkey import start_valkey

WATCH_SECONDS = 0.1
DATABASE = "refundry"


def main() -> int:
    parser = argparse.ArgumentParser(prog="supervisor", description=__doc__)
    parser.add_argument("command", choices=["up"])
    parser.parse_args()
    return keep(Home(Path(os.environ.get("REFUNDRY_HOME", CHECKOUT / ".refundry"))), start_everything)


def keep(home: Home, start: Callable[[Home, Children], None]) -> int:
    """Start by `start`, watch until a signal or a failure, stop all. Returns the exit code."""
    try:
        lock = home.lock()
    except HomeInUse as problem:
        return _complain(problem)
    children = Children(home.logs, inherited=[lock])
    try:
        listen_for_stop()
        start(home, children)
        while True:
            children.check()
            time.sleep(WATCH_SECONDS)
    except StopAsked:
        return 0
    except (ChildFailed, ServerMissing, PortUnusable) as problem:
        return _complain(problem)
    finally:
        be_deaf()
        children.stop()


def start_everything(home: Home, children: Children) -> None:
    """PostgreSQL and Valkey unless their URLs are given, then the demo shop, the peers and the product.

    What has happened to the demo's orders is played while everything runs already.
    """
    home.demo.unlink(missing_ok=True)
    with lasting_addresses(home, os.environ.get("PORT", "")) as addresses:
        product = Product(home, addresses, _servers(home, children, addresses))
        _start_shop(product, children)
    children.start(product.demo())


def _start_shop(product: Product, children: Children) -> None:
    home, draft = product.home, product.home.path / "demo-shop.json"
    _write_environment(product)
    children.run(product.manage("migrate", "--verbosity", "0"))
    children.run(product.manage("load_demo", "--output", str(draft)))
    start_product(product, children)
    places = _places(product)
    shop = json.loads(draft.read_text(encoding="utf-8"))
    draft.unlink()
    write_private(home.demo, json.dumps({**places, **shop}, indent=1, ensure_ascii=False))
    _announce({**places, "demo": str(home.demo), "logs": str(home.logs)})


def _servers(home: Home, children: Children, addresses: Addresses) -> dict[str, str]:
    database_url = os.environ.get("DATABASE_URL")
    redis_url = os.environ.get("REDIS_URL")
    if not database_url:
        database_url = ensure_database(start_postgres(home, children), DATABASE)
    if not redis_url:
        redis_url = start_valkey(home, children).url()
    return product_environment(home, addresses, database_url=database_url, redis_url=redis_url)


def _write_environment(product: Product) -> None:
    """What `make manage` needs to speak to this installation: only what differs from the caller's own."""
    lines = [
        f"{name}={shlex.quote(value)}" for name, value in product.environment.items() if os.environ.get(name) != value
    ]
    write_private(product.home.path / "env", "\n".join([*lines, ""]))


def _places(product: Product) -> dict[str, str]:
    return {
        "base_url": product.environment["BASE_URL"],
        "sandbox_url": product.addresses.sandbox_url,
        "inbox_url": product.addresses.inbox_url,
    }


def _announce(places: dict[str, str]) -> None:
    names = {"base_url": "open", "sandbox_url": "sandbox", "inbox_url": "inbox"}
    lines = [f"  {names.get(name, name):8} {place}" for name, place in places.items()]
    print("\n".join(["Refundry is up (Ctrl-C stops all of it)", *lines]), flush=True)


def _complain(problem: Exception) -> int:
    print(problem, file=sys.stderr, flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main())
