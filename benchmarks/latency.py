"""Click to refunded: how long a customer would look at the page of an unshipped order until its money is back.

    python -m benchmarks.latency [--clicks 200]

Starts an installation of its own as `make up` does, with the sandbox answering at once; clicks come one after the
other. Prints JSON, in milliseconds, from sending the request: `answered`, its answer has come; `refunded`, the
database says so. Asking the API for the state in a tight loop would cost the engine its processors.
"""

import argparse
import json
import os
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import urllib3

START_SECONDS = 120
LIMIT_SECONDS = 30
LOOK_SECONDS = 0.002
WARM_UP = 10


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.latency")
    parser.add_argument("--clicks", type=int, default=200)
    clicks = parser.parse_args().clicks
    with installation() as (demo, database_url), psycopg.connect(database_url, autocommit=True) as database:
        shop = Shop(demo, database)
        numbers = [shop.place_order(n) for n in range(WARM_UP + clicks)]
        answered, refunded = zip(*[shop.click(number) for number in numbers][WARM_UP:], strict=True)
    print(json.dumps({"clicks": clicks, "answered": spread(answered), "refunded": spread(refunded)}, indent=1))


@contextmanager
def installation() -> Iterator[tuple[dict[str, Any], str]]:
    """A fresh one in a throwaway home: its demo.json, and its database's URL."""
    with tempfile.TemporaryDirectory(prefix="refundry-latency-") as home:
        command = [sys.executable, "-m", "workers.local.supervisor", "up"]
        environment = {**os.environ, "REFUNDRY_HOME": home}
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as supervisor:
            try:
                yield _when_ready(supervisor, Path(home) / "demo.json"), _database_url(Path(home) / "env")
            finally:
                supervisor.send_signal(signal.SIGTERM)


class Shop:
    """A client of the API with the shop's key, and an onlooker at the database."""

    def __init__(self, demo: dict[str, Any], database: psycopg.Connection) -> None:
        self._database = database
        self._base = f"{demo['base_url']}/api/v1"
        self._headers = {"Authorization": f"Bearer {demo['keys']['shop'][0]}"}
        self._pool = urllib3.PoolManager(timeout=10)

    def place_order(self, n: int) -> str:
        number = f"LATENCY-{n}"
        body = {
            "currency": "EUR",
            "customer": {"email": f"c{n}@customer.test", "phone": "+4915100000000"},
            "lines": [{"sku": "MUG", "name": "Mug", "quantity": 1, "unit_price_minor": 1000}],
            "payments": [{"gateway": "sandbox", "reference": f"pay-latency-{n}", "captured_minor": 1000}],
        }
        self._send("PUT", f"/orders/{number}", body)
        return number

    def click(self, number: str) -> tuple[float, float]:
        """Ask for the money of the order; seconds until this is answered, and until the order is refunded."""
        clicked = time.monotonic()
        self._send("POST", f"/orders/{number}/refunds", {"lines": "all"})
        answered = time.monotonic()
        while (state := self._refund_state(number)) != "refunded":
            if time.monotonic() > clicked + LIMIT_SECONDS:
                raise TimeoutError(f"{number} is {state}")
            time.sleep(LOOK_SECONDS)
        return answered - clicked, time.monotonic() - clicked

    def _refund_state(self, number: str) -> str:
        query = "SELECT refund_state FROM orders_order WHERE number = %s"
        [(state,)] = self._database.execute(query, [number]).fetchall()
        return str(state)

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        answer = self._pool.request(method, self._base + path, json=body, headers=self._headers)
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {answer.data!r}")
        return answer.json()


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Median, 95th percentile and maximum, in milliseconds."""
    percentiles = statistics.quantiles(seconds, n=20, method="inclusive")
    return {
        "median": round(statistics.median(seconds) * 1000, 1),
        "p95": round(percentiles[-1] * 1000, 1),
        "max": round(max(seconds) * 1000, 1),
    }


def _when_ready(supervisor: subprocess.Popen[bytes], demo: Path) -> dict[str, Any]:
    deadline = time.monotonic() + START_SECONDS
    while not demo.exists():
        if supervisor.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the installation did not start")
        time.sleep(0.05)
    loaded: dict[str, Any] = json.loads(demo.read_text())
    return loaded


def _database_url(file: Path) -> str:
    """From the assignments that `make manage` reads."""
    pairs = (word.partition("=") for word in shlex.split(file.read_text()))
    return next(value for name, _, value in pairs if name == "DATABASE_URL")


if __name__ == "__main__":
    main()
