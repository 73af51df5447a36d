"""The closed days at the console: for who keeps the books, and for nobody else."""

import re

import pytest
from django.db import connection

from orders.models import Channel
from orders.roles import Role
from tests.integration.books.entries import close, enter, make_channel, set_clock, share_in
from tests.integration.console.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def berlin(transactional_db: None):
    shop = make_channel("berlin", "Europe/Berlin")
    enter(share_in(shop), "capture", 10_000, "2026-03-27 10:00")
    set_clock("2026-03-28 12:00")
    close(shop)
    yield shop
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM refundry_clock_offset")


def balances_of(page: str) -> list[list[str]]:
    """Per row of the tables of balances, its cells."""
    bodies = re.findall(r"rf-balances.*?<tbody>(.*?)</tbody>", page, re.DOTALL)
    rows = [row for body in bodies for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)]
    return [re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row) for row in rows]


def test_finance_and_auditors_see_closed_days_and_fetch_their_entries(berlin: Channel) -> None:
    for role in (Role.FINANCE, Role.AUDITOR):
        person = Person(role, berlin, name=str(role))
        page = person.client.get("/console/books/").content.decode()
        assert "2026-03-27 · berlin" in page
        assert balances_of(page) == [["sandbox · EUR", "€100.00", "", "", ""]]
        assert 'href="/console/books/"' in person.client.get("/console/").content.decode()
        file = person.client.get("/console/books/berlin/2026-03-27/csv/")
        assert b"".join(file.streaming_content).count(b"\r\n") == 2
        assert file.headers["Content-Disposition"] == 'attachment; filename="berlin_ledger_2026-03-27_2026-03-27.csv"'
        assert person.client.get("/console/books/berlin/2026-03-28/csv/").status_code == 409
        for nowhere in ("berlin/2026-03-27/xml/", "other/2026-03-27/csv/", "berlin/yesterday/csv/"):
            assert person.client.get(f"/console/books/{nowhere}").status_code == 404


def test_nobody_else_does(berlin: Channel) -> None:
    person = Person(Role.SUPPORT, berlin)
    assert 'href="/console/books/"' not in person.client.get("/console/").content.decode()
    for address in ("", "berlin/2026-03-27/csv/"):
        assert person.client.get(f"/console/books/{address}").status_code == 403
