"""Many at once: asked about once, each done by itself, each with a line that says what became of it."""

import re

import pytest

from orders.models import Channel
from orders.roles import Role
from refunds.actions import Action
from refunds.console.acts import seen_by
from refunds.models import Refund
from tests.integration.console.people import Page, Person
from tests.integration.refunds_api import returns

pytestmark = pytest.mark.django_db


def ticked(*refunds: Refund) -> list[str]:
    return [f"{refund.number} {seen_by(Action.APPROVE, refund)}" for refund in refunds]


def bulk(person: Person, action: str, *refunds: Refund, **said: str) -> Page:
    return person.post("refunds/bulk/", {"action": action, "refund": ticked(*refunds), **said})


def states(*refunds: Refund) -> list[str]:
    return [Refund.objects.get(pk=refund.pk).state for refund in refunds]


def results(page: Page) -> dict[str, str]:
    """By number, the line."""
    lines = re.findall(r"<li>(.*?)</li>", page.html.partition('id="done-title"')[2], re.S)
    texts = [" ".join(re.sub(r"<[^>]*>", " ", line).split()) for line in lines]
    return {number: text for number, _space, text in (text.partition(" ") for text in texts)}


@pytest.fixture
def person(db) -> Person:
    return Person(Role.SUPPORT)


def test_it_asks_once_and_for_the_reason_before_anything_is_done(person) -> None:
    one, two = returns.in_review(), returns.in_review()
    page = bulk(person, "reject", one, two)
    assert page.status == 200 and page.html.count("<textarea") == 1 and one.number in page and two.number in page
    empty = bulk(person, "reject", one, two, once="a", reason=" ")
    assert empty.status == 422 and "This field is required." in empty
    assert states(one, two) == ["in_review", "in_review"]
    done = bulk(person, "reject", one, two, once="b", reason="Worn.")
    assert results(done) == {one.number: "done", two.number: "done"} and "2 of 2 done" in done
    assert states(one, two) == ["rejected", "rejected"]
    assert {refund.rejection for refund in Refund.objects.all()} == {"Worn."}


def test_each_stands_for_itself(person) -> None:
    good, mine, changed, ended = (
        returns.in_review(),
        returns.in_review(actor=person.actor),
        returns.in_review(),
        returns.awaiting(),
    )
    returns.hold(returns.on(changed), until=None, actor=returns.CUSTOMER_SERVICE)
    page = bulk(person, "approve", good, mine, changed, ended, once="a")
    assert results(page) == {
        good.number: "done",
        mine.number: "not done Nobody approves a refund he requested: a colleague has to.",
        changed.number: "not done It has changed since the list was shown.",
        ended.number: "not done In its present state that cannot be done.",
    }
    assert states(good, mine, changed) == ["awaiting_return", "in_review", "in_review"]


def test_the_second_click_shows_the_same(person) -> None:
    one, two = returns.in_review(), returns.in_review()
    first, again = (bulk(person, "approve", one, two, once="a") for _ in range(2))
    assert results(first) == results(again) == {one.number: "done", two.number: "done"}


def test_what_is_foreign_or_unknown_is_not_there() -> None:
    outsider = Person(Role.SUPPORT, Channel.objects.create(slug="other", name="Other"))
    refund = returns.in_review()
    said = {"action": "approve", "once": "a", "refund": [*ticked(refund), "RF-99999 1", "/../ 1", " 1", "", "<b> 1"]}
    page = outsider.post("refunds/bulk/", said)
    assert page.status == 200 and set(results(page).values()) == {"not done There is no such refund."}
    assert states(refund) == ["in_review"] and "<b> " not in page.html


@pytest.mark.parametrize("role", [Role.WAREHOUSE, Role.FINANCE, Role.AUDITOR, Role.SHOP])
def test_other_roles_have_no_ticks_and_are_refused(role) -> None:
    refund, other = returns.in_review(), Person(role)
    assert 'type="checkbox"' not in other.get("refunds/").html
    assert bulk(other, "approve", refund, once="a").status == 403
    assert states(refund) == ["in_review"]


def test_nothing_chosen_leads_back_and_nothing_else_is_done_in_bulk(person) -> None:
    assert bulk(person, "approve").headers["Location"] == "/console/refunds/"
    assert person.get("refunds/bulk/").headers["Location"] == "/console/refunds/"
    assert bulk(person, "close", returns.in_review(), once="a").status == 404


def test_what_is_asked_about_says_whose_it_is_and_how_much(person) -> None:
    one, two = returns.in_review(), returns.in_review()
    page = bulk(person, "approve", one, two)
    about = f"{one.number} · {one.order.customer_name or one.order.customer_email} · €30.00"
    assert about in page and "Total: €60.00" in page


def test_a_refund_counts_once_however_it_was_ticked(person) -> None:
    refund = returns.in_review()
    ways = [*ticked(refund), refund.number, *(tick.lower() for tick in ticked(refund))]
    page = person.post("refunds/bulk/", {"action": "approve", "once": "a", "refund": ways[::-1]})
    assert results(page) == {refund.number: "done"} and states(refund) == ["awaiting_return"]


def test_more_than_can_be_done_at_once_are_refused_whole(person) -> None:
    refund = returns.in_review()
    many = [*ticked(refund), *(f"RF-{number} x" for number in range(90000, 90050))]
    page = person.post("refunds/bulk/", {"action": "approve", "once": "a", "refund": many})
    assert page.status == 422 and "Nothing was done: these are more than 50 at once." in page
    assert states(refund) == ["in_review"]


def test_what_there_was_no_time_for_is_said(person, monkeypatch) -> None:
    monkeypatch.setattr("refunds.console.bulk.MOST_SECONDS", 0)
    refund = returns.in_review()
    page = bulk(person, "approve", refund, once="a")
    assert results(page) == {refund.number: "not done There was no time left for it: send it again."}
    assert states(refund) == ["in_review"]


def test_what_has_ended_cannot_be_chosen(person) -> None:
    ended, running = returns.refunded(), returns.in_review()
    html = person.get("refunds/").html
    assert f'value="{running.number} ' in html and f'value="{ended.number} ' not in html and "Choose all" in html
