"""Starts localstripe, a free (GPL) imitation of Stripe, as a process of its own that nothing here imports."""

import base64
import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.integration.adapters.peers import free_port, wait_until

API_KEY = "sk_test_12345"
# It binds every interface and keeps its state in one file for all; here it gets the loopback and starts empty.
LAUNCH = """
import runpy, socket, sys
class Loopback(socket.socket):
    def bind(self, address):
        super().bind(("::1", *address[1:]) if address[0] == "::" else address)
socket.socket = Loopback
runpy.run_module("localstripe", run_name="__main__", alter_sys=True)
"""


class LocalStripe:
    """Makes payments, over Stripe's own HTTP API."""

    def __init__(self, url: str) -> None:
        self.url = url

    def pay(self, amount: int, currency: str, *, capture: str = "automatic") -> str:
        """A payment intent, captured or (`manual`) held. `amount` in Stripe's unit."""
        card = {"type": "card", "card[number]": "4242424242424242", "card[exp_month]": "12"}
        method = self.post("/v1/payment_methods", {**card, "card[exp_year]": "2039", "card[cvc]": "123"})
        intent = {"amount": str(amount), "currency": currency.lower(), "payment_method": method["id"]}
        intent["capture_method"] = capture
        return str(self.post("/v1/payment_intents", {**intent, "confirm": "true"})["id"])

    def post(self, path: str, form: dict[str, str]) -> dict[str, Any]:
        token = base64.b64encode(f"{API_KEY}:".encode()).decode()
        request = urllib.request.Request(
            self.url + path, data=urllib.parse.urlencode(form).encode(), headers={"Authorization": f"Basic {token}"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return dict(json.loads(answer.read()))


@contextmanager
def localstripe(home: Path) -> Iterator[LocalStripe]:
    port = free_port()
    url = f"http://[::1]:{port}"
    command = [sys.executable, "-c", LAUNCH, "--port", str(port), "--from-scratch"]
    process = subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)
    try:
        wait_until(lambda: _up(url) or process.poll() is not None)
        assert process.poll() is None, "localstripe did not start"
        yield LocalStripe(url)
    finally:
        process.kill()
        process.wait()


def _up(url: str) -> bool:
    with suppress(OSError):
        try:
            urllib.request.urlopen(f"{url}/v1/refunds", timeout=1).close()
        except urllib.error.HTTPError:
            return True
    return False
