"""A running installation as its callers see it: the API with a key per role, the sandbox's doors, the inbox."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import urllib3

LOOK_SECONDS = 0.1
ONLY_REDIRECTS = urllib3.Retry(connect=0, read=0, status=0, other=0, redirect=3)


class WentWrong(Exception):
    """Something was answered that should not be, or did not come about in time; the text says what."""


@dataclass(frozen=True)
class Installation:
    """Addresses and keys, as `demo.json` has them."""

    base_url: str
    sandbox_url: str
    inbox_url: str
    keys: dict[str, list[str]]
    _pool: urllib3.PoolManager = field(default_factory=lambda: urllib3.PoolManager(maxsize=32, retries=ONLY_REDIRECTS))

    @classmethod
    def read(cls, file: Path) -> "Installation":
        """Raises FileNotFoundError where nothing is up."""
        told = json.loads(file.read_text(encoding="utf-8"))
        return cls(told["base_url"], told["sandbox_url"], told["inbox_url"], told["keys"])

    def answers(self) -> bool:
        """Whether it is up."""
        try:
            return self._pool.request("GET", f"{self.base_url}/readyz", timeout=5).status == 200
        except urllib3.exceptions.HTTPError:
            return False

    def api(self, method: str, path: str, body: Any = None, *, role: str = "shop", key: str = "") -> Any:
        """A call below /api/v1 with a key of this role; `key` is its Idempotency-Key."""
        headers = {"Authorization": f"Bearer {self.keys[role][0]}"} | ({"Idempotency-Key": key} if key else {})
        return self._http(method, f"{self.base_url}/api/v1{path}", body, headers)

    def page(self, method: str, path: str, fields: dict[str, str] | None = None) -> tuple[str, str]:
        """A page for people, after what it leads to: its address and its HTML."""
        encoded = {"fields": fields, "encode_multipart": False} if fields else {}
        answer = self._answer(method, f"{self.base_url}{path}", redirect=True, **encoded)
        return answer.geturl() or path, answer.data.decode()

    def sandbox(self, method: str, path: str, body: Any = None) -> Any:
        return self._http(method, f"{self.sandbox_url}{path}", body)

    def messages(self, refund: str) -> list[Any]:
        """Every delivery about a refund, oldest first."""
        found: list[Any] = self._http("GET", f"{self.inbox_url}/messages?refund={quote(refund)}")
        return found

    def _http(self, method: str, url: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        sent = {"json": body} if body is not None else {}
        answer = self._answer(method, url, headers=headers, **sent)
        return answer.json() if answer.data else None

    def _answer(self, method: str, url: str, **sent: Any) -> urllib3.BaseHTTPResponse:
        try:
            answer = self._pool.request(method, url, timeout=30, **sent)
        except urllib3.exceptions.HTTPError as exc:
            raise WentWrong(f"{method} {url}: {exc}") from exc
        if answer.status >= 300:
            raise WentWrong(f"{method} {url} answered {answer.status}: {answer.data.decode(errors='replace')[:500]}")
        return answer


def wait_for(what: str, look: Callable[[], Any], *, seconds: float) -> Any:
    """What `look` finds, as soon as it finds something; WentWrong after so long."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            raise WentWrong(f"not within {seconds:g} s: {what}")
        time.sleep(LOOK_SECONDS)
    return found
