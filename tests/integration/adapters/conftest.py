"""One sandbox, inbox and receiver per test process; each test has payments and people of its own."""

import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.integration.adapters.peers import SECRET, Receiver, http, peer_process
from workers.adapters.email import SmtpMessenger, SmtpServer
from workers.adapters.http_gateway import HttpGateway
from workers.adapters.sms import SmsMessenger
from workers.ports import Movement

_counter = itertools.count(1)


@dataclass
class Sandbox:
    """The running sandbox, its doors, and an adapter that talks to it."""

    url: str
    receiver: Receiver

    @property
    def gateway(self) -> HttpGateway:
        return HttpGateway(f"{self.url}/v1", secret=SECRET)

    def script(self, reference: str, *entries: Any, **more: Any) -> Any:
        return http("PUT", f"{self.url}/gateway/scripts/{reference}", {"refunds": list(entries), **more})

    def ledger(self, reference: str) -> Any:
        return http("GET", f"{self.url}/gateway/ledger?reference={reference}")

    def post(self, path: str, body: Any) -> Any:
        return http("POST", f"{self.url}/gateway/{path}", body)


@pytest.fixture(scope="session")
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture(scope="session")
def sandbox(receiver: Receiver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    home = tmp_path_factory.mktemp("sandbox")
    flags = ("--home", str(home), "--secret", SECRET, "--webhook-url", receiver.url, "--settle-ms", "30")
    with peer_process("workers.local.sandbox", *flags) as (url, _):
        yield Sandbox(url, receiver)


@pytest.fixture
def movement() -> Callable[..., Movement]:
    """Makes movements on one payment of this test's own."""
    reference = f"pay-{os.getpid()}-{next(_counter)}"

    def make(number: int = 1, *, key_no: int = 0, amount_minor: int = 1000, currency: str = "EUR") -> Movement:
        name = f"RFTEST-{reference}-{number}"
        key = f"{name}.{key_no}" if key_no else name
        return Movement(name, key, reference, amount_minor, currency)

    return make


@dataclass
class Inbox:
    """The running inbox and its doors."""

    url: str
    smtp_port: int

    @property
    def mail(self) -> SmtpMessenger:
        return SmtpMessenger(SmtpServer("127.0.0.1", self.smtp_port), from_email="Shop <refunds@shop.example>")

    @property
    def sms(self) -> SmsMessenger:
        return SmsMessenger(f"{self.url}/sms", secret=SECRET)

    def messages(self, **query: str) -> Any:
        return http("GET", f"{self.url}/messages?{urlencode(query)}")

    def fault(self, channel: str, behaviour: str, *, to: str, times: int = 1) -> None:
        http("PUT", f"{self.url}/faults", {channel: {"behaviour": behaviour, "times": times, "to": to}})


@pytest.fixture(scope="session")
def inbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inbox]:
    flags = ("--home", str(tmp_path_factory.mktemp("inbox")), "--secret", SECRET)
    with peer_process("workers.local.inbox", *flags) as (url, _):
        yield Inbox(url, http("GET", f"{url}/healthz")["smtp_port"])
