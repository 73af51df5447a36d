"""Photos on the customer's pages: sent by a plain form, seen by who has the link and by nobody else."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from refunds.evidence import MOST_BYTES
from refunds.models import EvidencePhoto, Refund
from refunds.pages import evidence_form
from tests.factories import ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import Courier, work
from tests.integration.pages.conftest import Customer, MakeCustomer, text_of
from tests.pictures import exif_of_a_phone, picture, png_bomb


@pytest.fixture
def customer(customer_of: MakeCustomer) -> Customer:
    """A person is looking at what he asked for."""
    customer = customer_of(1000)
    ship(customer.order)
    customer.confirm(A=1)
    work(Engine(), Courier(), customer.refund())
    return customer


def send(customer: Customer, *sent: bytes, token: str = "token1") -> HttpResponse:
    files = [SimpleUploadedFile(f"evil{n}.exe", data, "text/html") for n, data in enumerate(sent)]
    return customer.act(customer.refund(), "evidence", photos=files, form_token=token)


def page_of(customer: Customer, refund: Refund) -> str:
    return customer.get(f"/requests/{refund.number}").content.decode()


def test_they_are_sent_and_shown(customer: Customer) -> None:
    refund = customer.refund()
    before = page_of(customer, refund)
    assert 'enctype="multipart/form-data"' in before and "<img" not in before
    field = re.search(r'<input type="file"[^>]*>', before)
    assert field and "multiple" in field[0] and 'accept="image/jpeg,image/png,image/webp"' in field[0]
    assert send(customer, picture(exif=exif_of_a_phone()), picture("PNG", colour="blue")).status_code == 303
    shown = re.findall(r'<img src="/r/[^/]+(/refunds/[^"]+)"', page_of(customer, refund))
    assert shown == [f"/refunds/{refund.number}/evidence/{n}" for n in (1, 2)]
    got = customer.get(shown[0])
    assert got.content == bytes(EvidencePhoto.objects.get(position=1).data)
    assert (got["Content-Type"], got["Cache-Control"]) == ("image/jpeg", "private, no-store")
    assert got["X-Content-Type-Options"] == "nosniff" and got["Content-Security-Policy"].startswith(
        "default-src 'none'"
    )


def test_the_form_sent_twice_is_sent_once(customer: Customer) -> None:
    assert [send(customer, picture()).status_code for _ in range(2)] == [303, 303]
    assert EvidencePhoto.objects.count() == 1


def test_a_form_that_was_used_takes_no_other_photo(customer: Customer) -> None:
    send(customer, picture())
    assert send(customer, picture(colour="blue")).status_code == 422
    assert EvidencePhoto.objects.count() == 1


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ([], "This field is required."),
        ([b"<script>"], "no JPEG, PNG or WebP photo"),
        ([picture(), picture()[:300]], "no JPEG, PNG or WebP photo"),
        ([png_bomb(30_000)], "too many pixels"),
        ([b"\xff\xd8\xff" + b"0" * MOST_BYTES], "too large: at most 10 MB"),
        ([picture(size=(n, 9)) for n in range(1, 10)], "At most 8 photos."),
    ],
)
def test_what_cannot_be_kept_is_said_at_the_field(customer: Customer, sent: list[bytes], said: str) -> None:
    answer = send(customer, *sent)
    assert answer.status_code == 422 and said in text_of(answer)
    assert not EvidencePhoto.objects.exists()


def test_one_too_many_is_said_on_top(customer: Customer) -> None:
    send(customer, *(picture(size=(n, 9)) for n in range(1, 8)))
    answer = send(customer, picture(), picture(colour="blue"), token="token2")
    assert answer.status_code == 409 and "We have 7 photos already, and keep at most 8." in text_of(answer)
    assert EvidencePhoto.objects.count() == 7


def test_a_form_that_no_photos_can_fill_is_not_read(customer: Customer, monkeypatch) -> None:
    monkeypatch.setattr("refunds.pages.visits.MOST_FORM_BYTES", 1000)
    answer = send(customer, picture(size=(900, 900)))
    assert answer.status_code == 413 and "too large to be sent" in text_of(answer)
    assert evidence_form.MOST_FORM_BYTES > 8 * MOST_BYTES


def test_only_his_own_link_shows_them(customer: Customer, customer_of: MakeCustomer) -> None:
    send(customer, picture())
    path, other = f"/refunds/{customer.refund().number}/evidence", customer_of(500)
    foreign, unknown = other.get(f"{path}/1"), other.get("/refunds/RF-999999/evidence/1")
    assert foreign.status_code == unknown.status_code == 404
    assert text_of(foreign) == text_of(unknown)
    assert customer.get(f"{path}/2").status_code == 404
    assert customer.browser.get(f"/r/x{path}/1").status_code == 404


def test_the_field_goes_when_nobody_looks_any_more(customer: Customer) -> None:
    send(customer, picture())
    refund = customer.refund()
    customer.act(refund, "cancel", form_token="token3")
    page = page_of(customer, refund)
    assert 'type="file"' not in page and "/evidence/1" in page
    assert send(customer, picture(colour="blue"), token="token4").status_code == 409
