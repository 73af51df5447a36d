"""One sandbox, inbox and receiver per test process; each test has payments and people of its own."""

import itertools
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.integration.adapters.peers import SECRET, Receiver, http, peer_process
from workers.adapters.email import SmtpMessenger, SmtpServer
from workers.adapters.http_courier import HttpCourier
from workers.adapters.http_gateway import HttpGateway
from workers.adapters.sms import SmsMessenger
from workers.ports import InterceptOrder, Movement, PickupOrder

_counter = itertools.count(1)


@dataclass
class Sandbox:
    """The running sandbox, its doors, and an adapter that talks to it."""

    url: str
    receiver: Receiver
    parcels: Receiver

    @property
    def courier(self) -> HttpCourier:
        return HttpCourier(f"{self.url}/courier/v1", secret=SECRET)

    def courier_script(self, subject: str, **calls: list[Any]) -> Any:
        return http("PUT", f"{self.url}/courier/scripts/{subject}", calls)

    def tell(self, waybill: str, way: str, **options: Any) -> Any:
        return http("POST", f"{self.url}/courier/parcels/{waybill}/{way}", options or None)

    def courier_ledger(self, **query: str) -> Any:
        return http("GET", f"{self.url}/courier/ledger?{urlencode(query)}")

    def told(self, waybill: str) -> list[str]:
        """The states told of a parcel by webhook, in order of arrival."""
        events = [json.loads(body) for _, body in list(self.parcels.received)]
        return [event["parcel"]["status"] for event in events if event["parcel"]["waybill"] == waybill]

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
def parcels() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture(scope="session")
def sandbox(receiver: Receiver, parcels: Receiver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    home = tmp_path_factory.mktemp("sandbox")
    flags = ("--home", str(home), "--secret", SECRET, "--webhook-url", receiver.url, "--settle-ms", "30")
    with peer_process("workers.local.sandbox", *flags, "--courier-webhook-url", parcels.url) as (url, _):
        yield Sandbox(url, receiver, parcels)


@pytest.fixture
def movement() -> Callable[..., Movement]:
    """Makes movements on one payment of this test's own."""
    reference = f"pay-{os.getpid()}-{next(_counter)}"

    def make(number: int = 1, *, key_no: int = 0, amount_minor: int = 1000, currency: str = "EUR") -> Movement:
        name = f"RFTEST-{reference}-{number}"
        key = f"{name}.{key_no}" if key_no else name
        return Movement(name, key, reference, amount_minor, currency)

    return make


@pytest.fixture
def pickup() -> Callable[..., PickupOrder]:
    """Makes pickups for one refund of this test's own."""
    refund = f"RFTEST-{os.getpid()}-{next(_counter)}"
    address = {"name": "Mia Muster", "line1": "Hauptstr. 1", "city": "Köln", "postal_code": "50667", "country": "DE"}

    def make(number: int = 1, *, key_no: int = 0, **more: Any) -> PickupOrder:
        name = f"{refund}-P{number}"
        contact = {"name": "Mia Muster", "phone": "+4930123456"}
        order = PickupOrder(name, f"{name}.{key_no}" if key_no else name, refund, address, address, contact)
        return replace(order, **more)

    return make


@pytest.fixture
def intercept() -> Callable[..., InterceptOrder]:
    """Makes intercepts of one outward parcel of this test's own."""
    tracking = f"TRACK-{os.getpid()}-{next(_counter)}"

    def make(*, key_no: int = 0, **more: Any) -> InterceptOrder:
        number = f"SHIP-{tracking}-I"
        return replace(InterceptOrder(number, f"{number}.{key_no}", "RFTEST-1", tracking, "DHL"), **more)

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
