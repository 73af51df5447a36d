"""What goes with a request and a contest: photos, how it comes back, in how many boxes. If wrong, nothing is asked."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from orders.services.lines import Sku
from refunds.models import EvidencePhoto, Refund
from refunds.returnable import Reason
from refunds.services.acts import Approval, approve, reject
from refunds.services.wishes import LineWish
from refunds.states import Goods, RefundState
from tests.factories import ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.places import send
from tests.integration.engine.returns import AGENT, Courier, fresh, in_force, target, work
from tests.integration.pages.conftest import Customer, MakeCustomer, hidden, text_of
from tests.pictures import exif_of_a_phone, picture

FORM = "/refund/confirm"


@pytest.fixture
def customer(customer_of: MakeCustomer) -> Customer:
    """He has three things that cost 10.00 each."""
    customer = customer_of(1000, quantity=3)
    ship(customer.order, "delivered")
    return customer


def sent(*data: bytes) -> list[SimpleUploadedFile]:
    return [SimpleUploadedFile(f"{n}.jpg", each, "image/jpeg") for n, each in enumerate(data)]


def confirm(customer: Customer, preview: HttpResponse, *photos: bytes) -> HttpResponse:
    return customer.post(FORM, **hidden(preview, FORM), photos=sent(*photos))


def given(refund: Refund) -> list[tuple[int, str]]:
    return list(EvidencePhoto.objects.filter(refund=refund).order_by("position").values_list("position", "role"))


def test_photos_go_with_the_request(customer: Customer) -> None:
    preview = customer.choose(A=1, reason="damaged")
    assert re.search(r'<form[^>]*/refund/confirm" enctype="multipart/form-data"', preview.content.decode())
    assert confirm(customer, preview, picture(exif=exif_of_a_phone()), picture(colour="blue")).status_code == 303
    assert given(customer.refund()) == [(1, "customer"), (2, "customer")]
    assert customer.refund().customer_wrote_at is None, "nobody waits for an answer"


def test_each_refund_of_the_request_that_somebody_looks_at_has_them(customer_of: MakeCustomer) -> None:
    customer = customer_of(1000, quantity=2)
    send(customer.order, "way-1", ("A", 1), delivered=True)
    preview = customer.choose(A=2, reason="damaged")
    assert confirm(customer, preview, picture()).status_code == 303
    shown = {refund.route: given(refund) for refund in Refund.objects.all()}
    assert shown == {"instant": [], "pickup": [(1, "customer")]}


def test_without_photos_it_is_asked_as_well(customer: Customer) -> None:
    assert confirm(customer, customer.choose(A=1)).status_code == 303
    assert given(customer.refund()) == []


def test_nobody_looks_at_photos_of_what_is_refunded_at_once(customer_of: MakeCustomer) -> None:
    preview = customer_of(1000).choose(A=1)
    assert 'type="file"' not in preview.content.decode()


@pytest.mark.parametrize("wrong", [b"no photo", b""], ids=["text", "empty"])
def test_a_wrong_photo_is_told_and_nothing_is_asked(customer: Customer, wrong: bytes) -> None:
    preview = customer.choose(A=2, note="Look at the handle.")
    page = confirm(customer, preview, picture(), wrong)
    assert page.status_code == 422 and "photo" in text_of(page)
    assert not Refund.objects.exists() and not EvidencePhoto.objects.exists()
    assert hidden(page, FORM)["note"] == "Look at the handle."
    assert confirm(customer, page, picture()).status_code == 303


def test_too_many_photos_are_told(customer: Customer) -> None:
    page = confirm(customer, customer.choose(A=1), *[picture(size=(10 + n, 10)) for n in range(9)])
    assert page.status_code == 422 and "At most 8 photos." in text_of(page)
    assert not Refund.objects.exists()


def test_the_form_sent_twice_is_one_request_with_its_photos_once(customer: Customer) -> None:
    preview = customer.choose(A=1)
    assert [confirm(customer, preview, picture()).status_code for _ in range(2)] == [303, 303]
    assert given(customer.refund()) == [(1, "customer")]


def test_photos_go_with_a_contest(customer: Customer) -> None:
    confirm(customer, customer.choose(A=1))
    refund = customer.refund()
    work(Engine(), Courier(), refund)
    reject(target(refund), reason="The seal was broken.", actor=AGENT)
    answer = customer.act(refund, "contest", note="It was not.", photos=sent(b"no photo"))
    assert answer.status_code == 422 and fresh(refund).state == RefundState.REJECTED
    assert "It was not." in answer.content.decode()
    assert customer.act(refund, "contest", note="It was not.", photos=sent(picture())).status_code == 303
    assert (fresh(refund).state, given(refund)) == (RefundState.IN_REVIEW, [(1, "customer")])


def test_he_chooses_how_it_comes_back_and_says_in_how_many_boxes(customer: Customer) -> None:
    form = text_of(customer.get("/refund"))
    assert "How does it come back to us?" in form and "In how many boxes?" in form
    preview = customer.choose(A=2, way_back="drop_off", boxes="2")
    assert "you get a label, hand it in" in text_of(preview) and "Boxes: 2" in text_of(preview)
    assert "Fetched at" not in text_of(preview)
    confirm(customer, preview)
    refund = customer.refund()
    assert (refund.way_back, refund.boxes) == ("drop_off", 2)
    work(Engine(), Courier(), refund)
    assert "Boxes 2" in text_of(customer.get(f"/requests/{refund.number}"))


def test_the_policy_s_way_is_chosen_before_he_says_another(customer: Customer) -> None:
    in_force(way_back="drop_off")
    chosen = re.search(
        r'<input type="radio" name="way_back" value="(\w+)"[^>]*checked', customer.get("/refund").content.decode()
    )
    assert chosen and chosen[1] == "drop_off"
    assert "you get a label" in text_of(customer.choose(A=1))
    assert "a courier fetches it" in text_of(customer.choose(A=1, way_back="pickup"))


def test_photos_with_a_contest_of_a_part_are_no_message_of_their_own(customer: Customer) -> None:
    confirm(customer, customer.choose(A=2))
    refund = customer.refund()
    work(Engine(), Courier(), refund)
    approve(target(refund), Approval([LineWish(Sku("A"), 1)], goods=Goods.KEEP), actor=AGENT)
    work(Engine(), Courier(), refund)
    assert customer.act(refund, "contest", note="Both.", photos=sent(picture())).status_code == 303
    rest = Refund.objects.get(contest_of=refund)
    assert (given(rest), rest.customer_wrote_at) == ([(1, "customer")], None)


@pytest.mark.parametrize("boxes", ["0", "51", "two", "-1", "1.5"])
def test_an_impossible_number_of_boxes_is_told_at_its_field(customer: Customer, boxes: str) -> None:
    page = customer.choose(A=1, boxes=boxes)
    assert page.status_code == 422 and not Refund.objects.exists()
    assert re.search(r'<details open>.*name="boxes"[^>]*aria-invalid="true"', page.content.decode(), re.S)


def test_what_never_left_has_no_way_back(customer_of: MakeCustomer) -> None:
    assert "How does it come back" not in text_of(customer_of(1000).get("/refund"))


def test_a_reason_that_needs_photos_is_not_confirmed_without_them(customer: Customer) -> None:
    in_force(reasons=(Reason("broken", {"en": "It is broken"}, fault="seller", evidence="required"),))
    preview = customer.choose(A=1, reason="broken")
    assert "the shop needs them for this reason" in text_of(preview)
    refused = confirm(customer, preview)
    assert refused.status_code == 422 and not Refund.objects.exists()
    assert confirm(customer, refused, picture()).status_code == 303
    assert given(customer.refund()) == [(1, "customer")]


def test_a_reason_that_needs_none_is_confirmed_without(customer: Customer) -> None:
    needed, free = Reason("broken", {"en": "Broken"}, evidence="required"), Reason("small", {"en": "Too small"})
    in_force(reasons=(needed, free))
    assert confirm(customer, customer.choose(A=1, reason="small")).status_code == 303
