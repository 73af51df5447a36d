"""The buttons of a case are the one table's, the console refuses what the API refuses, and nothing typed is lost."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from orders.errors import Invalid
from orders.models import Channel, Principal
from orders.roles import KEY_ROLES, Role
from orders.services.lines import Sku
from refunds.actions import RULES, Action
from refunds.api.act_bodies import InspectedLine
from refunds.console.acts import ACT_OF, ACTS
from refunds.models import Refund, RefundEvent
from refunds.selectors.allowed import allowed_actions
from refunds.services.acts import Inspected, inspect
from refunds.states import Disposition
from tests.fingerprint import fingerprint
from tests.integration.console.people import Page, Person
from tests.integration.console.said import FOUND, SAID
from tests.integration.refunds_api import returns
from tests.integration.refunds_api.returns import in_days

pytestmark = pytest.mark.django_db

ABOUT_ONE = [rule.action for rule in RULES if rule.states]
STATIONS: dict[str, Callable[[], Refund]] = {
    "in review": returns.in_review,
    "awaited": returns.awaiting,
    "held": returns.held,
    "to be inspected": returns.inspecting,
    "failed": returns.failed,
    "refunded": returns.refunded,
}


def fresh(refund: Refund) -> Refund:
    return Refund.objects.get(pk=refund.pk)


def state(refund: Refund) -> str:
    return fresh(refund).state


def test_every_action_about_a_refund_has_its_form() -> None:
    assert sorted(act.action for act in ACTS) == sorted(ABOUT_ONE)


@pytest.mark.parametrize("station", STATIONS)
def test_buttons_are_those_of_the_table(station) -> None:
    refund = STATIONS[station]()
    for role in KEY_ROLES:
        person = Person(role, name=role)
        assert person.case(refund).doors == set(allowed_actions(fresh(refund), person.actor)), role


def test_nobody_approves_what_he_requested_himself() -> None:
    person = Person(Role.SUPPORT)
    refund = returns.in_review(actor=person.actor)
    page = person.case(refund)
    assert "approve" not in page.doors and "You requested this refund yourself" in page
    assert person.act(refund, "approve", **SAID[Action.APPROVE][0]).status == 403
    assert Person(Role.SUPPORT, name="ada").act(refund, "approve", **SAID[Action.APPROVE][0]).status == 302
    assert state(refund) == "awaiting_return"


@pytest.mark.parametrize(
    ("station", "role", "action", "follows"),
    [
        ("in review", Role.SUPPORT, "approve", "awaiting_return"),
        ("in review", Role.SUPPORT, "reject", "rejected"),
        ("in review", Role.SUPPORT, "hold", "in_review"),
        ("held", Role.SUPERVISOR, "resume", "in_review"),
        ("awaited", Role.SUPPORT, "ship_back", "awaiting_return"),
        ("awaited", Role.WAREHOUSE, "receive", "inspecting"),
        ("to be inspected", Role.WAREHOUSE, "inspect", "refunding"),
        ("failed", Role.FINANCE, "retry", "refunding"),
        ("failed", Role.FINANCE, "close", "cancelled"),
        ("in review", Role.SHOP, "cancel", "cancelled"),
    ],
)
def test_an_act_is_done_by_its_person(station, role, action, follows) -> None:
    refund, person = STATIONS[station](), Person(role)
    refund = fresh(refund)
    done = person.act(refund, action, **SAID.get(Action(action), ({}, None))[0])
    assert (done.status, done.headers.get("Location")) == (302, f"/console/refunds/{refund.number}/"), done
    assert state(refund) == follows
    assert RefundEvent.objects.filter(refund=refund, actor=person.actor.reference, role=role).exists()
    assert "Done:" in person.case(refund) and "Grace" in person.case(refund)


def test_the_console_offers_the_dispositions_that_the_api_takes() -> None:
    form = ACT_OF["inspect"].made(returns.inspecting(), [])
    offered = [value for value, _label in form.fields["disposition-0"].choices]  # type: ignore[attr-defined]
    assert offered == list(InspectedLine().fields["disposition"].words)  # type: ignore[attr-defined]


def test_accepted_units_are_not_sent_back() -> None:
    refund = returns.inspecting()
    with pytest.raises(Invalid) as refused:
        inspect(
            returns.on(refund), [Inspected(Sku("A"), 3, disposition=Disposition.SEND_BACK)], actor=returns.WAREHOUSE
        )
    assert refused.value.errors[0].field == "lines[0].disposition"


@pytest.mark.parametrize(("further", "parcels"), [({}, ["T-2"]), ({"further": "on"}, ["T-1", "T-2"])])
def test_a_second_number_corrects_the_first_or_is_one_more_box(further, parcels) -> None:
    refund, person = returns.awaiting(), Person(Role.SUPPORT)
    assert "One more box" not in person.case(refund)
    assert person.act(refund, "ship_back", carrier="DHL", tracking_number="T-1").status == 302
    assert "One more box" in person.case(refund)
    second = person.act(fresh(refund), "ship_back", carrier="DHL", tracking_number="T-2", **further)
    assert second.status == 302, second
    posted = refund.pickups.filter(account="").order_by("pk")
    assert list(posted.values_list("waybill", flat=True)) == parcels


def test_the_console_says_who_contested_for_the_customer() -> None:
    refund, person = returns.rejected(), Person(Role.SUPPORT)
    assert person.act(refund, "contest", note="It was whole.").status == 302
    assert "The customer, by Grace" in person.case(refund)


def test_the_warehouse_says_at_the_console_what_becomes_of_refused_units() -> None:
    refund, person = returns.refused_in_part(), Person(Role.WAREHOUSE)
    typed = SAID[Action.DISPOSE][0]
    page = person.act(fresh(refund), "dispose", **typed | {"quantity-0": "2"})
    assert (page.status, "less than or equal to 1" in page) == (422, True), page
    assert person.act(fresh(refund), "dispose", **typed).status == 302
    told = refund.events.filter(kind="goods.disposed").latest("seq")
    assert told.data["disposition"] == "write_off" and told.actor == person.actor.reference
    again = person.act(fresh(refund), "dispose", **typed)
    assert (again.status, "It was said before what becomes of them." in again) == (409, True), again


def test_another_time_for_the_courier_is_by_the_customers_clock() -> None:
    refund, person = returns.awaiting(), Person(Role.SUPPORT)
    day = f"{in_days(2):%Y-%m-%d}"
    typed = {"starts_at": f"{day}T09:00", "ends_at": f"{day}T11:00"}
    assert person.act(refund, "rebook_pickup", **typed).status == 302
    slot = refund.pickups.latest("pk")
    assert slot.slot_from and f"{slot.slot_from:%Y-%m-%dT%H:%M}" == f"{day}T09:00"


@pytest.mark.parametrize("until", ["2026-12-03T10:00:00+05:00", "2026-12-03T10:00Z", "2026-12-03", "10:00", "\0"])
def test_a_time_is_typed_without_a_zone_of_its_own(until) -> None:
    form = ACT_OF["hold"].made(Refund(), [], {"until": until})
    assert form.errors["until"] == ["Enter a valid date/time."]


def test_a_hold_is_until_a_time_in_utc() -> None:
    form = ACT_OF["hold"].made(Refund(), [], {"until": "2026-12-03T10:00"})
    assert form.is_valid() and form.cleaned_data["until"] == datetime(2026, 12, 3, 10, tzinfo=UTC)
    assert "Until (UTC)" in Person(Role.SUPPORT).case(returns.in_review())


def test_a_part_is_approved_and_the_customer_keeps_the_goods() -> None:
    refund = returns.in_review()
    assert Person(Role.SUPPORT).act(refund, "approve", **{"quantity-0": "1", "goods": "keep"}).status == 302
    refund = fresh(refund)
    assert (refund.state, refund.amount_minor, refund.goods) == ("refunding", 1000, "keep")


@pytest.mark.parametrize(
    ("station", "role", "action", "typed", "told"),
    [
        ("in review", Role.SUPPORT, "reject", {"reason": "  "}, "This field is required."),
        ("in review", Role.SUPPORT, "reject", {"reason": "x\x07y"}, "It holds a character that no text has."),
        ("in review", Role.SUPPORT, "reject", {"reason": "r" * 2001}, "at most 2000 characters"),
        ("in review", Role.SUPPORT, "approve", {"quantity-0": "4"}, "less than or equal to 3"),
        ("in review", Role.SUPPORT, "approve", {"quantity-0": "0"}, "Approve at least one unit, or reject the refund."),
        ("in review", Role.SUPPORT, "hold", {"until": "2001-01-01T00:00"}, "That time is not possible"),
        ("in review", Role.SUPPORT, "assign", {"to": "999999"}, "not one of the available choices"),
        ("awaited", Role.SUPPORT, "rebook_pickup", SAID[Action.REBOOK_PICKUP][0], "That time is not possible"),
        ("to be inspected", Role.WAREHOUSE, "inspect", FOUND | {"damaged-0": "0"}, "3 were announced, 2 are accounted"),
        ("to be inspected", Role.WAREHOUSE, "inspect", FOUND | {"accepted-0": "x"}, "Enter a whole number."),
    ],
)
def test_what_is_wrong_is_said_at_its_field(station, role, action, typed, told) -> None:
    refund, person = STATIONS[station](), Person(role)
    refund = fresh(refund)
    before = fingerprint()
    page = person.act(refund, action, **typed)
    assert (page.status, told in page) == (422, True), page
    assert '<details class="rf-door" open><summary class="rf-button rf-' in page.html or action == "assign"
    assert "rf-error" in page.html and fingerprint() == before


def test_a_second_click_changes_nothing_and_tells_nothing_odd() -> None:
    refund, person = returns.in_review(), Person(Role.SUPPORT)
    form = person.form(refund, "reject", reason="Worn.")
    first = person.act(refund, "reject", **form)
    version = fresh(refund).resource_version
    again = person.act(refund, "reject", **form)
    assert (first.status, again.status, again.headers["Location"]) == (302, 302, first.headers["Location"])
    assert fresh(refund).resource_version == version


@pytest.mark.parametrize("once", ["", "\0", "a b", "\u0661", "x" * 65])
def test_a_form_without_its_token_is_not_done(once) -> None:
    refund = returns.in_review()
    page = Person(Role.SUPPORT).act(refund, "reject", reason="The seal is broken.", once=once)
    assert page.status == 422 and "This form did not come whole" in page
    assert "The seal is broken.</textarea>" in page.html and state(refund) == "in_review"


def test_a_case_is_taken_given_on_and_given_back() -> None:
    refund, grace, ada = returns.in_review(), Person(Role.SUPPORT), Person(Role.SUPERVISOR, name="ada")
    Person(Role.SUPPORT, Channel.objects.create(slug="other", name="Other"), name="eve")
    assert 'value="">Give it back' not in grace.case(refund).html and "Eve" not in grace.case(refund)
    for to, shown in ((grace.principal, "Given to Grace"), (ada.principal, "Given to Ada"), (None, "Given back")):
        refund = fresh(refund)
        assert grace.act(refund, "assign", to=to.pk if to else "").status == 302
        assert fresh(refund).assignee == to and shown in grace.case(refund)


def test_another_method_shows_the_case_and_an_unknown_act_is_nowhere() -> None:
    refund, person = returns.in_review(), Person(Role.SUPERVISOR)
    assert person.get(f"refunds/{refund.number}/reject/").headers["Location"] == f"/console/refunds/{refund.number}/"
    assert person.post(f"refunds/{refund.number}/delete/").status == 404
    assert person.post(f"refunds/{refund.number}/read/").status == 404


def test_text_of_others_never_becomes_markup() -> None:
    refund = returns.in_review(note="<script>alert(1)</script>")
    Principal.objects.create(name="<b>Mallory</b>", role=Role.SUPPORT).channels.add(refund.order.channel)
    page: Page = Person(Role.SUPPORT).case(refund)
    assert "<script>alert" not in page.html and "&lt;script&gt;alert(1)" in page.html
