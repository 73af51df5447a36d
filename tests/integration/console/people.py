"""People at the console: each a user with a principal, logged in with a browser of his own."""

import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from orders.models import Channel, Principal
from orders.roles import Actor, Role
from refunds.actions import Action
from refunds.console.acts import seen_by
from refunds.models import Refund

PASSWORD = "correct horse"


class Person:
    """Logged in, unless `is_in` says otherwise; `of` is his channels, by default the default one."""

    def __init__(self, role: Role | None, *of: Channel, name: str = "grace", is_in: bool = True) -> None:
        self.user = User.objects.create_user(name, password=PASSWORD)
        self.principal: Principal | None = None
        if role:
            self.principal = Principal.objects.create(name=name.title(), role=role, user=self.user)
            self.principal.channels.set(of or [Channel.objects.get(is_default=True)])
        self.client = Client(raise_request_exception=True)
        if is_in:
            self.client.force_login(self.user)

    @property
    def actor(self) -> Actor:
        assert self.principal
        return Actor(f"principal:{self.principal.pk}", Role(self.principal.role))

    def get(self, path: str, **said: Any) -> "Page":
        return Page(self.client.get(f"/console/{path}", said), self)

    def post(self, path: str, said: Any = None) -> "Page":
        return Page(self.client.post(f"/console/{path}", said or {}), self)

    def case(self, refund: Refund) -> "Page":
        return self.get(f"refunds/{refund.number}/")

    def form(self, refund: Refund, action: str, **said: Any) -> dict[str, Any]:
        """What the form sends of a page that showed the refund as it is in hand."""
        return {
            "seen": seen_by(Action(action), refund),
            "once": f"click{refund.resource_version}{action.replace('_', '')}",
        } | said

    def act(self, refund: Refund, action: str, **said: Any) -> "Page":
        return self.post(f"refunds/{refund.number}/{action}/", self.form(refund, action, **said))

    def log_in(self, password: str = PASSWORD) -> "Page":
        said = {"username": self.user.username, "password": password}
        return Page(self.client.post("/console/login/", said), self)


class Page:
    """An answer of the console, and who has it."""

    def __init__(self, response: Any, person: Person) -> None:
        self.person = person
        self.status: int = response.status_code
        self.headers = response.headers
        self.html: str = response.content.decode()

    @property
    def text(self) -> str:
        """What stands on it, without tags, every gap one space."""
        return " ".join(re.sub(r"<[^>]*>", " ", self.html).split())

    @property
    def doors(self) -> set[str]:
        """The acts that the page has a form for."""
        return set(re.findall(r'action="/console/refunds/[^/"]+/([a-z_]+)/"', self.html))

    def __contains__(self, text: str) -> bool:
        return text in self.text

    def __repr__(self) -> str:
        return f"{self.status} {self.text}"
