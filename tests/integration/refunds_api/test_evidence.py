"""POST and GET /refunds/{number}/evidence: photos by the API."""

import pytest
from django.test import Client

from orders.models import Channel
from orders.roles import Role
from refunds.evidence import MOST_BYTES
from refunds.models import EvidencePhoto, Refund
from refunds.selectors.evidence import photos_of
from tests.integration.refunds_api import returns
from tests.integration.refunds_api.clients import Answer, Caller
from tests.pictures import exif_of_a_phone, opened, photo, picture

pytestmark = pytest.mark.django_db


@pytest.fixture
def refund(channel: Channel) -> Refund:
    return returns.in_review()


def send(caller: Caller, refund: Refund, sent: bytes, kind: str = "image/jpeg", **headers: str) -> Answer:
    return caller.post(f"/refunds/{refund.number}/evidence", sent, Content_Type=kind, **headers)


def fetch(caller: Caller, path: str):
    return Client().get(f"/api/v1{path}", headers={"Authorization": f"Bearer {caller.key}"})


def test_a_photo_is_sent_listed_and_fetched(shop: Caller, refund: Refund) -> None:
    answer = send(shop, refund, picture(exif=exif_of_a_phone()))
    assert answer.status == 200, answer
    [shown] = answer.body["photos"]
    stored = EvidencePhoto.objects.get()
    assert shown["id"] == 1 and (shown["width"], shown["height"]) == (60, 40) and shown["sha256"] == stored.sha256
    assert (shown["given_by"], shown["role"]) == (stored.author, "shop")
    assert shop.get(f"/refunds/{refund.number}/evidence").body == answer.body
    got = fetch(shop, f"/refunds/{refund.number}/evidence/1")
    assert got.status_code == 200 and got.content == bytes(stored.data) and not opened(got.content).getexif()
    assert {
        name: got.headers[name]
        for name in ("Content-Type", "Cache-Control", "X-Content-Type-Options", "Content-Security-Policy")
    } == {
        "Content-Type": "image/jpeg",
        "Cache-Control": "private, no-store",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    }


def test_what_it_is_is_told_by_its_content(shop: Caller, refund: Refund) -> None:
    assert send(shop, refund, picture("WEBP"), "image/png").status == 200
    assert send(shop, refund, b"GIF89a", "image/png").code == "no_photo"


def test_sent_again_it_is_the_same_one(shop: Caller, refund: Refund) -> None:
    sent = picture()
    first = send(shop, refund, sent, Idempotency_Key="evidence-1")
    assert send(shop, refund, sent, Idempotency_Key="evidence-1").body == first.body
    assert send(shop, refund, sent).body == first.body
    other = send(shop, refund, picture(colour="blue"), Idempotency_Key="evidence-1")
    assert other.code == "idempotency_key_reused"
    assert EvidencePhoto.objects.count() == 1


@pytest.mark.parametrize(
    ("sent", "kind", "refused"),
    [
        (b"{}", "application/json", "415 unsupported_media_type"),
        (picture(), "multipart/form-data; boundary=x", "415 unsupported_media_type"),
        (picture()[:200], "image/jpeg", "422 no_photo"),
        (b"\xff" * (MOST_BYTES + 1), "image/jpeg", "413 too_large"),
    ],
)
def test_what_is_none_is_refused(shop: Caller, refund: Refund, sent, kind, refused) -> None:
    answer = send(shop, refund, sent, kind)
    assert f"{answer.status} {answer.code}" == refused
    assert [error["field"] for error in answer.body.get("errors", [])] == ["photo"] * (answer.code == "no_photo")
    assert not EvidencePhoto.objects.exists()


def test_one_larger_than_any_other_body_is_taken(shop: Caller, refund: Refund) -> None:
    sent = picture("PNG", size=(1200, 1000), compress_level=0)
    assert len(sent) > 2_621_440
    assert send(shop, refund, sent, "image/png").status == 200


def test_a_seen_version_that_is_old_is_refused(shop: Caller, refund: Refund) -> None:
    assert send(shop, refund, picture(), If_Match='"999"').status == 412


def test_the_warehouse_looks_and_does_not_show(caller, refund: Refund, shop: Caller) -> None:
    warehouse = caller(Role.WAREHOUSE)
    assert send(warehouse, refund, picture()).status == 403
    send(shop, refund, picture())
    assert fetch(warehouse, f"/refunds/{refund.number}/evidence/1").status_code == 200


def test_of_another_channel_it_is_as_unknown(refund: Refund, shop: Caller) -> None:
    send(shop, refund, picture())
    other = Caller(Channel.objects.create(slug="other", name="Other"))
    for path in ("evidence", "evidence/1"):
        foreign, unknown = (other.get(f"/refunds/{number}/{path}") for number in (refund.number, "RF-999999"))
        assert (foreign.status, foreign.code) == (unknown.status, unknown.code) == (404, "refund_not_found")
    assert send(other, refund, picture()).status == 404
    assert shop.get(f"/refunds/{refund.number}/evidence/2").code == "photo_not_found"
    assert shop.get(f"/refunds/{refund.number}/evidence/99999999999").status == 404


def test_it_is_read_only_with_a_key(refund: Refund, shop: Caller) -> None:
    send(shop, refund, picture())
    assert Client().get(f"/api/v1/refunds/{refund.number}/evidence/1").status_code == 401


def test_lists_carry_no_pictures(refund: Refund, shop: Caller) -> None:
    send(shop, refund, picture())
    [listed] = photos_of(refund.pk)
    assert "data" in listed.get_deferred_fields() and listed.sha256 == photo().sha256
