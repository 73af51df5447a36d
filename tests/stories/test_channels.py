"""A shop front is declared, served, changed, removed and declared anew while everything runs: nothing is restarted."""

import json
import signal
from collections.abc import Iterator
from typing import Any

import pytest
import urllib3

from tests.processes import Stack
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("stories")
SLUG = "fashion"
MANIFEST = {"apiVersion": "refundry/v1", "kind": "Channel"}
BANK = "fashion-bank"
WORKERS = 2  # of each web server
CONDITION = """
SELECT c ->> 'status', c ->> 'message' FROM refunds_manifest m, jsonb_array_elements(m.conditions) c
WHERE m.name = %s AND m.generation = m.observed_generation AND c ->> 'type' = %s
"""
LIVE = "SELECT loaded -> %s FROM refunds_webprocess WHERE seen_at > refundry_now() - interval '10 s'"
ORDER = {
    "currency": "EUR",
    "lines": [{"sku": "MUG", "name": "Mug", "quantity": 1, "unit_price_minor": 1000}],
}


class Front:
    """The shop front over two web servers, by the key it has at the moment."""

    def __init__(self, stack: Stack, urls: list[str]) -> None:
        self.stack, self.urls, self.key = stack, urls, stack.keys["shop"][0]
        self._pool = urllib3.PoolManager(retries=False, timeout=30)

    def everywhere(self, method: str, path: str, body: Any = None) -> list[int]:
        """The statuses of several requests to each server, so that each of its processes is likely to answer one."""
        statuses = [self._answer(url, method, path, body).status for url in self.urls for _ in range(4)]
        return sorted(set(statuses))

    def apply(self, name: str = SLUG, **spec: Any) -> None:
        """At the command line."""
        file = self.stack.home.path / f"{name}.json"
        file.write_text(json.dumps(MANIFEST | {"metadata": {"name": name}, "spec": spec}))
        self.stack.manage("apply", "-f", str(file))

    def apply_whole(self, **changes: Any) -> None:
        """With an account of its own at the sandbox."""
        bank = {"adapter": "http", "baseUrl": f"{self.stack.sandbox_url}/v1", "secret": "env:SANDBOX_SECRET"}
        whole = {"hostnames": ["fashion.example"], "numberPrefix": "FH", "accounts": [{"name": BANK} | bank]}
        self.apply(**whole | changes)

    def remove(self, name: str = SLUG) -> None:
        self.stack.manage("delete", f"channel/{name}")
        eventually(lambda: self.stack.query("SELECT 1 FROM refunds_manifest WHERE name = %s", name) == [])

    def call(self, method: str, path: str, body: Any = None) -> Any:
        return json.loads(self._answer(self.urls[1], method, path, body).data)

    def take_key(self) -> None:
        self.stack.manage("people", "add", "Fashion", "--role", "shop", "--channel", SLUG)
        self.key = (self.stack.home.logs / "manage-people.log").read_text().splitlines()[-1]

    def condition(self, kind: str, name: str = SLUG) -> tuple[str, str]:
        """Status and message, once the controller has seen the manifest as it stands."""
        return eventually(lambda: self.stack.query(CONDITION, name, kind))[0]

    def is_served(self) -> None:
        eventually(lambda: self.condition("Established"), lambda said: said[0] == "True")

    def _answer(self, url: str, method: str, path: str, body: Any) -> urllib3.BaseHTTPResponse:
        given = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        raw = None if body is None else json.dumps(body).encode()
        return self._pool.request(method, f"{url}/api/v1{path}", body=raw, headers=given)


@pytest.fixture
def front(stack: Stack) -> Iterator[Front]:
    """With a second web server beside that of the stack. One that ends as it should is forgotten at once."""
    yield Front(stack, [stack.base_url, stack.start_further_web()])
    stack.end("web-2")
    eventually(lambda: stack.query("SELECT count(*) FROM refunds_webprocess"), lambda rows: rows == [(WORKERS,)])


def test_a_channel_is_served_removed_and_declared_anew_without_a_restart(front: Front, stack: Stack) -> None:
    at = f"?channel={SLUG}"
    # 503 as long as one of them has loaded nothing.
    eventually(lambda: front.everywhere("GET", f"/orders/1{at}") == [404])
    front.apply_whole()
    front.is_served()
    assert stack.query(LIVE, SLUG) == [(1,)] * 2 * WORKERS, "those that fork serve nobody"
    front.take_key()
    paid = {"payments": [{"gateway": BANK, "reference": "fashion-1", "captured_minor": 1000}]}
    assert front.everywhere("PUT", "/orders/1", ORDER | paid) in ([200, 201], [201])
    assert front.everywhere("GET", f"/orders/1{at}") == [200]
    _changes_are_established_when_the_last_process_has_loaded_them(front, stack)
    _its_own_account_pays(front)
    _a_name_is_had_by_one_and_goes_to_the_next(front)
    front.remove()
    eventually(lambda: front.everywhere("GET", f"/orders/1{at}") == [404])
    front.apply_whole()
    front.is_served()
    assert front.everywhere("GET", f"/orders/1{at}") == [404], "a key of the earlier life"
    front.take_key()
    assert front.everywhere("GET", f"/orders/1{at}") == [404], "an order of the earlier life"
    assert front.everywhere("PUT", "/orders/1", ORDER) in ([200, 201], [201])
    assert stack.query("SELECT generation FROM refunds_manifest WHERE name = %s", SLUG) == [(1,)]


def _changes_are_established_when_the_last_process_has_loaded_them(front: Front, stack: Stack) -> None:
    stack.send("web-2", signal.SIGSTOP)
    front.apply_whole(hostnames=["mode.example"])
    half = f"{WORKERS} of {2 * WORKERS} web processes serve generation 2."
    eventually(lambda: front.condition("Established"), lambda said: said == ("False", half), seconds=9)
    stack.send("web-2", signal.SIGCONT)
    front.is_served()
    assert stack.query(LIVE, SLUG) == [(2,)] * 2 * WORKERS


def _its_own_account_pays(front: Front) -> None:
    """The worker was running before there was such an account."""
    asked = front.call("POST", "/orders/1/refunds", {"lines": "all", "reason": "changed_mind"})
    [refund] = asked["refunds"]
    number = refund["metadata"]["number"]
    assert "-FH-" in number
    eventually(lambda: front.call("GET", f"/refunds/{number}")["status"]["state"], lambda state: state == "refunded")


def _a_name_is_had_by_one_and_goes_to_the_next(front: Front) -> None:
    """A conflict is said, mended by another name, and over by itself once the holder lets go."""
    front.apply("rival", hostnames=["mode.example"])
    assert front.condition("NamesAccepted", "rival") == ("False", "hostnames: mode.example is held by fashion")
    front.apply("rival", hostnames=["rival.example"])
    eventually(lambda: front.condition("NamesAccepted", "rival")[0] == "True")
    front.apply("rival", hostnames=["mode.example"])
    eventually(lambda: front.condition("NamesAccepted", "rival")[0] == "False")
    front.apply_whole()
    eventually(lambda: front.condition("NamesAccepted", "rival")[0] == "True")
    front.remove("rival")
