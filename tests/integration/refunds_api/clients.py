"""Callers of the API: each with a key of its own."""

import json
from typing import Any

from django.test import Client

from orders.models import ApiKey, Channel, Principal
from orders.roles import Role
from orders.services.keys import make_key


class Caller:
    """A principal with one key; every answer comes as (status, body, response)."""

    def __init__(self, *channels: Channel, role: Role = Role.SHOP) -> None:
        principal = Principal.objects.create(name=f"A {role}", role=role)
        principal.channels.set(channels)
        self.key = make_key(principal)
        self.stored = ApiKey.objects.get(principal=principal)
        self._client = Client(raise_request_exception=False)

    def get(self, path: str, **headers: str) -> "Answer":
        return self.call("GET", path, b"", headers)

    def post(self, path: str, body: Any = None, **headers: str) -> "Answer":
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return self.call("POST", path, raw, headers)

    def call(self, method: str, path: str, raw: bytes, headers: dict[str, str]) -> "Answer":
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Answer(
            self._client.generic(
                method,
                f"/api/v1{path}",
                raw,
                content_type=named.pop("Content-Type", "application/json"),
                headers={"Authorization": f"Bearer {self.key}"} | named,
            )
        )


class Answer:
    """An HTTP answer with its JSON."""

    def __init__(self, response: Any) -> None:
        self.status: int = response.status_code
        self.headers = response.headers
        self.body: Any = json.loads(response.content) if response.content else None

    @property
    def code(self) -> str:
        """The code of a problem, checked to be one."""
        assert self.headers["Content-Type"] == "application/problem+json", self
        assert self.body["status"] == self.status
        return self.body["code"]

    def __repr__(self) -> str:
        return f"{self.status} {self.body}"
