"""Photos as evidence: when, from whom, how many, and what they set going."""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, transaction

from orders.errors import Conflict, Forbidden, Invalid, Problem
from orders.roles import Actor, Role
from refunds.evidence import MOST_PHOTOS
from refunds.models import EvidencePhoto, Refund, RefundEvent
from refunds.services.acts import ask, give_evidence, hold, reject
from refunds.states import RefundState
from tests.factories import request, ship
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import AGENT, CUSTOMER, SHOP, WAREHOUSE, Courier, bought, fresh, target, work
from tests.integration.engine.threads import together
from tests.pictures import photo

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
COLOURS = ("red", "green", "blue", "white", "black", "yellow", "cyan", "magenta", "orange", "purple")


@pytest.fixture
def refund(engine: Engine) -> Refund:
    order = bought(1000)
    ship(order, "delivered")
    [refund] = request(order).refunds
    work(engine, Courier(), refund)
    return refund


def give(refund: Refund, *colours: str, actor: Actor = CUSTOMER) -> Refund:
    return give_evidence(target(refund), [photo(colour) for colour in colours], actor=actor)


def positions(refund: Refund) -> list[int]:
    return list(EvidencePhoto.objects.filter(refund=refund).order_by("position").values_list("position", flat=True))


def test_they_are_kept_as_they_came(refund: Refund) -> None:
    give(refund, "red", "green")
    give(refund, "blue")
    stored = list(EvidencePhoto.objects.order_by("position"))
    assert [bytes(one.data) for one in stored] == [photo(colour).data for colour in ("red", "green", "blue")]
    first, given = stored[0], photo("red")
    assert (first.sha256, first.width, first.height) == (given.sha256, given.width, given.height)
    assert (first.author, first.role) == (CUSTOMER.reference, "customer")


def test_the_trail_numbers_them_and_tells_nothing(refund: Refund) -> None:
    give(refund, "red", "green")
    told = RefundEvent.objects.filter(kind="case.evidence").order_by("seq")
    assert [event.data for event in told] == [{"photo": 1}, {"photo": 2}]


def test_the_same_picture_twice_changes_nothing(refund: Refund) -> None:
    give(refund, "red")
    before = fresh(refund)
    give(refund, "red", "red")
    again = fresh(refund)
    assert (again.generation, again.resource_version, again.event_seq) == (
        before.generation,
        before.resource_version,
        before.event_seq,
    )
    give(refund, "red", "green")
    assert positions(refund) == [1, 2]


def test_they_answer_a_question(refund: Refund) -> None:
    ask(target(refund), text="Have you a photo?", actor=AGENT)
    give(refund, "red")
    again = fresh(refund)
    assert (again.held_until, again.held_for) == (None, "") and again.customer_wrote_at is not None


def test_a_hold_of_the_shop_goes_on(refund: Refund) -> None:
    hold(target(refund), until=None, actor=AGENT)
    give(refund, "red")
    assert fresh(refund).held_until is not None


@pytest.mark.parametrize(("actor", "is_new"), [(CUSTOMER, True), (SHOP, True), (AGENT, False)])
def test_customer_service_finds_what_it_has_not_brought_itself(refund: Refund, actor: Actor, is_new: bool) -> None:
    give(refund, "red", actor=actor)
    assert (fresh(refund).customer_wrote_at is not None) is is_new


@pytest.mark.parametrize("actor", [WAREHOUSE, Actor("system", Role.SYSTEM)])
def test_others_show_nothing_for_him(refund: Refund, actor: Actor) -> None:
    with pytest.raises(Forbidden):
        give(refund, "red", actor=actor)


def test_none_at_all_is_no_evidence(refund: Refund) -> None:
    with pytest.raises(Invalid) as refused:
        give(refund)
    assert refused.value.code == "required"


def test_after_a_refusal_only_while_it_can_be_contested(refund: Refund) -> None:
    reject(target(refund), reason="It was worn.", actor=AGENT)
    give(refund, "red")
    Refund.objects.filter(pk=refund.pk).update(contest_until=None)
    with pytest.raises(Conflict) as refused:
        give(refund, "green")
    assert refused.value.code == "not_contestable" and positions(refund) == [1]


def test_all_of_them_or_none(refund: Refund) -> None:
    give(refund, *COLOURS[:6])
    with pytest.raises(Conflict) as refused:
        give(refund, *COLOURS[6:9])
    assert refused.value.code == "too_many_photos" and len(positions(refund)) == 6
    give(refund, *COLOURS[6:8])
    assert positions(refund) == list(range(1, MOST_PHOTOS + 1))


def test_of_two_at_once_one_is_the_ninth_and_refused(refund: Refund) -> None:
    give(refund, *COLOURS[:7])
    acts: list[Callable[[], object]] = [lambda: give(refund, "orange"), lambda: give(refund, "purple")]
    refused = [one for one in together(*acts) if isinstance(one, Problem)]
    assert [one.code for one in refused] == ["too_many_photos"]
    assert positions(refund) == list(range(1, MOST_PHOTOS + 1))


def test_the_same_one_four_times_at_once_is_one(refund: Refund) -> None:
    answers = together(*[lambda: give(refund, "red")] * 4)
    assert all(isinstance(one, Refund) for one in answers), answers
    assert positions(refund) == [1]


def test_the_database_itself_keeps_no_ninth(refund: Refund) -> None:
    give(refund, "red")
    row = EvidencePhoto.objects.get()
    row.pk, row.position, row.sha256 = None, MOST_PHOTOS + 1, "0" * 64
    with pytest.raises(IntegrityError, match="evidence_photo_few"), transaction.atomic():
        row.save()


def test_it_does_not_change_the_state(refund: Refund) -> None:
    assert give(refund, "red").state == RefundState.IN_REVIEW
