"""The case page shows the photos to agents of the channel, who may add some."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from orders.models import Channel
from orders.roles import Role
from refunds.models import EvidencePhoto, Refund
from refunds.services.acts import give_evidence
from tests.integration.console.people import Page, Person
from tests.integration.engine.returns import CUSTOMER, target
from tests.integration.refunds_api import returns
from tests.pictures import photo, picture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_client")]


def test_an_agent_sees_them() -> None:
    refund, grace = returns.in_review(), Person(Role.SUPPORT)
    assert "<img" not in grace.case(refund).html
    give_evidence(target(refund), [photo(), photo("blue")], actor=CUSTOMER)
    page = grace.case(refund)
    addresses = [f"/console/refunds/{refund.number}/evidence/{n}/" for n in (1, 2)]
    assert all(f'<img src="{address}"' in page.html for address in addresses) and "Photo 2 received" in page
    got = grace.client.get(addresses[1])
    assert got.content == photo("blue").data
    assert got["Content-Type"] == "image/jpeg" and got["Cache-Control"].startswith("private, no-store")
    assert got["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'; sandbox"


def add(person: Person, refund: Refund, *sent: bytes, once: str = "click1") -> Page:
    files = [SimpleUploadedFile(f"{n}.jpg", data) for n, data in enumerate(sent)]
    return person.act(refund, "evidence", photos=files, once=once)


def test_an_agent_adds_what_he_was_sent_elsewhere() -> None:
    refund, grace = returns.in_review(), Person(Role.SUPPORT)
    form = grace.case(refund).html.partition("/evidence/")[2].partition("</form>")[0]
    assert 'enctype="multipart/form-data"' in form and 'type="file"' in form
    assert [add(grace, refund, picture(), picture(colour="blue")).status for _ in range(2)] == [302, 302]
    given = EvidencePhoto.objects.order_by("position")
    assert [photo.author for photo in given] == [grace.actor.reference] * 2


def test_a_page_that_was_used_takes_no_other_photo() -> None:
    refund, grace = returns.in_review(), Person(Role.SUPPORT)
    add(grace, refund, picture())
    again = add(grace, refund, picture(colour="blue"))
    assert again.status == 422 and EvidencePhoto.objects.count() == 1


@pytest.mark.parametrize("sent", [[], [b"<script>"], [picture(), b"<script>"]])
def test_what_is_no_photo_is_said_at_the_field(sent) -> None:
    refund, grace = returns.in_review(), Person(Role.SUPPORT)
    page = add(grace, refund, *sent)
    assert page.status == 422 and 'id="evidence-photos_error"' in page.html
    assert not EvidencePhoto.objects.exists()


def test_more_than_are_kept_are_refused_in_words() -> None:
    refund, grace = returns.in_review(), Person(Role.SUPPORT)
    add(grace, refund, *(picture(size=(n, 9)) for n in range(1, 8)))
    page = add(grace, Refund.objects.get(), picture(), picture(colour="blue"), once="click2")
    assert page.status == 409 and "more photos than a refund can have" in page


def test_an_agent_of_another_channel_does_not() -> None:
    refund = returns.in_review()
    give_evidence(target(refund), [photo()], actor=CUSTOMER)
    stranger = Person(Role.SUPERVISOR, Channel.objects.create(slug="other", name="Other"))
    assert stranger.get(f"refunds/{refund.number}/evidence/1/").status == 404


def test_nobody_does_who_is_not_logged_in() -> None:
    refund = returns.in_review()
    give_evidence(target(refund), [photo()], actor=CUSTOMER)
    assert Person(Role.SUPPORT, is_in=False).get(f"refunds/{refund.number}/evidence/1/").status == 302
