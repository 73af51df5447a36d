"""No form of the console can be sent so that it breaks, whatever stands in which field; sent again while it is at work,
it is told what the first was told."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser

import psycopg
import pytest
from django.db import connection

from orders import clock
from orders.rest.idempotency import Repeatable
from orders.roles import Role
from refunds.models import Incident
from tests.integration.console.people import Page, Person
from tests.integration.refunds_api import returns
from tests.waiting import eventually

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_client")]


class Forms(HTMLParser):
    """Every form of a page that is posted: its address, and what it sends as it is shown."""

    def __init__(self, page: Page) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(page.html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        had = dict(attrs)
        if tag == "form":
            self.found.append((had.get("action") or "", {}))
            self.is_posted = had.get("method") == "post"
            if not self.is_posted:
                self.found.pop()
        elif had.get("name") and tag in ("input", "select", "textarea", "button") and self.found and self.is_posted:
            self.found[-1][1][str(had["name"])] = had.get("value") or ""


def in_review() -> list[Page]:
    refund, person = returns.in_review(), Person(Role.SUPERVISOR)
    tick = f"{refund.number} x"
    return [person.case(refund), person.get("refunds/"), person.post("refunds/bulk/", bulk("reject", tick))]


def bulk(action: str, tick: str) -> dict[str, str]:
    return {"action": action, "refund": tick}


def incident() -> list[Page]:
    refund, now = returns.failed(), clock.now()
    row = Incident.objects.create(order=refund.order, refund=refund, kind="excess", opened_at=now, due_at=now)
    return [Person(Role.SUPERVISOR).get(f"incidents/{row.pk}/")]


def frame() -> list[Page]:
    person, nobody = Person(Role.SUPERVISOR), Person(Role.SUPPORT, name="ada", is_in=False)
    return [person.get("password/"), nobody.get("login/")]


PAGES: dict[str, Callable[[], list[Page]]] = {
    "in review": in_review,
    "awaited": lambda: [Person(Role.SUPERVISOR).case(returns.awaiting())],
    "held": lambda: [Person(Role.SUPERVISOR).case(returns.held())],
    "to be inspected": lambda: [Person(Role.SUPERVISOR).case(returns.inspecting())],
    "unconfirmed": lambda: [Person(Role.SUPERVISOR).case(returns.unconfirmed())],
    "failed": lambda: [Person(Role.SUPERVISOR).case(returns.failed())],
    "incident": incident,
    "frame": frame,
}


@pytest.mark.parametrize("pages", PAGES)
def test_no_field_takes_what_the_database_cannot_hold(pages) -> None:
    sent = set(odd_fields(PAGES[pages]()))
    assert len(sent) > 2, "the forms were not found"


def odd_fields(pages: list[Page]) -> Iterator[tuple[str, str]]:
    for page in pages:
        for address, fields in Forms(page).found:
            for name in fields:
                for odd in ("\0", "1 \0"):
                    answer = page.person.client.post(address, fields | {name: odd})
                    assert answer.status_code < 500, (address, name)
                    yield address, name


def test_a_form_sent_again_waits_for_the_first_and_is_told_the_same() -> None:
    """Here the first is refused: that the second is not told "done" is the point."""
    shown, person = returns.in_review(), Person(Role.SUPPORT)
    Person(Role.SUPPORT, name="ada").act(shown, "hold", until="")
    assert person.principal
    path = f"/console/{shown.number}/reject"
    first = Repeatable(person.principal.pk, "POST", path, person.form(shown, "reject")["once"], "")
    with at_work(first):
        again = person.act(shown, "reject", reason="Worn.")
    assert again.status == 412 and "Done" not in person.case(shown)


@contextmanager
def at_work(form: Repeatable) -> Iterator[None]:
    """Somebody has the form until another one waits for it."""
    asked = connection.get_connection_params()
    names = {name: asked[name] for name in ("host", "port", "user", "password", "dbname") if asked.get(name)}
    with psycopg.connect(**names, autocommit=True) as first:
        first.execute("SELECT pg_advisory_lock(%s)", [form.lock])
        waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"

        def let_go() -> None:
            eventually(lambda: first.execute(waits).fetchone()[0], seconds=2.5)
            first.execute("SELECT pg_advisory_unlock_all()")
            met.set()

        met = threading.Event()
        other = threading.Thread(target=let_go)
        other.start()
        yield
        other.join(10)
        assert met.is_set(), "nobody waited"
