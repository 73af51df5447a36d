"""What is said in which state, as a table; and that nothing is left unsaid in either language."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation

from refunds.actions import Action
from refunds.cuts import Cut
from refunds.destinations import Instrument
from refunds.messages.facts import Item, Visit
from refunds.messages.moved import Money
from refunds.messages.sentences import account_named
from refunds.pages.codes import CodeAsked
from refunds.pages.facts import Happened, Parcel, Part, Request
from refunds.pages.presenters.destinations import goes_to, money_by
from refunds.pages.presenters.sheets import sheet_rows
from refunds.pages.presenters.shown import contact_link, show_request
from refunds.pages.presenters.story import TOLD, story
from refunds.pages.presenters.telling import look_every, tell
from refunds.pages.presenters.told import Tone
from refunds.pages.presenters.words import Words
from refunds.states import FINAL_STATES, Goods, MovementKind, MovementState, PickupState, RefundState, Rejection, Route

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
WORDS = Words("en", ZoneInfo("Europe/Berlin"))
VISIT = Visit(NOON + timedelta(days=1), NOON + timedelta(days=1, hours=4))
SENT = Money("pay-1", 2000, MovementState.SUCCEEDED, NOON)
CASH = Money("cash-1", 2000, MovementState.INTENDED, by_hand=True)
LANGUAGES = ("en", "zh-hans")
S, P = RefundState, PickupState
AWAITING, APPROVED = S.AWAITING_RETURN, "Your refund has been approved"
ARRIVED = (Happened("shipment.arrival_confirmed", NOON, {}),)
NOT_STOPPED = (Happened("intercept.refused", NOON, {}),)
TWICE = tuple(replace(SENT, reference=reference, amount_minor=1000) for reference in ("pay-1", "pay-2"))
HELD = (replace(SENT, amount_minor=500), Money("pay-1", 1500, MovementState.EXTERNAL, kind=MovementKind.VOID))
DISPUTED = (replace(SENT, amount_minor=1300), Money("pay-1", 700, MovementState.EXTERNAL, kind=MovementKind.DISPUTE))
CREDIT = Money("pay-3", 533, MovementState.SUCCEEDED, NOON, is_credit=True)
CREDITED = (replace(SENT, amount_minor=267), CREDIT)
RETURNED = (replace(SENT, state=MovementState.REVERSED),)
KEPT_ALL = (
    {"kind": "line", "label": "Shirt", "quantity": 1, "amount_minor": 1000},
    {"kind": "gift", "label": "Mug", "quantity": 0, "amount_minor": -500},
    {"kind": "deposit", "label": "Deposit", "quantity": 0, "amount_minor": -500},
)
CODE = CodeAsked(Instrument.ACCOUNT, "***2051", "***5678", NOON)
OUTSIDE = (replace(SENT, state=MovementState.EXTERNAL),)


def part(state: RefundState = S.REQUESTED, **facts: Any) -> Part:
    money = (Money("pay-1", 2000, MovementState.INTENDED),)
    given = {"route": Route.PICKUP, "currency": "EUR", "amount_minor": 2000, "requested_at": NOON, "money": money}
    return Part("RF-1", "RF-R1", state, **given | facts)


@pytest.mark.parametrize(
    ("of", "tone", "headline", "todo"),
    [
        (part(), Tone.MOVING, "We have your request", ""),
        (part(deadline=NOON), Tone.WAITING, "We have your request", ""),
        (part(S.IN_REVIEW), Tone.WAITING, "Customer service is looking at your request", ""),
        (part(S.IN_REVIEW, route=Route.INTERCEPT), Tone.WAITING, "Customer service is looking", "do not accept it"),
        (part(S.IN_REVIEW, route=Route.INTERCEPT, goods=Goods.KEEP), Tone.WAITING, "Customer service is", ""),
        (part(S.IN_REVIEW, route=Route.INTERCEPT, happened=ARRIVED), Tone.WAITING, "Customer service is looking", ""),
        (part(S.IN_REVIEW, proof_until=NOON), Tone.WAITING, "We are looking for your parcel", "ask your neighbours"),
        (part(S.IN_REVIEW, cancel_wanted=True), Tone.WAITING, "Your cancellation is on its way", ""),
        (part(AWAITING), Tone.ACT, APPROVED, "pack the goods"),
        (part(AWAITING, deadline=NOON), Tone.ACT, APPROVED, "by 4 May 2026, 14:00 UTC+2"),
        (part(AWAITING, route=Route.INTERCEPT), Tone.WAITING, APPROVED, "do not accept"),
        (part(AWAITING, route=Route.INTERCEPT, happened=NOT_STOPPED), Tone.WAITING, APPROVED, "You may accept it"),
        (part(AWAITING, goods=Goods.ALREADY_SENT), Tone.ACT, "Your refund has been", "tracking number"),
        (part(AWAITING, goods=Goods.ALREADY_SENT, deadline=NOON), Tone.ACT, APPROVED, "by 4 May 2026, 14:00 UTC+2"),
        (part(AWAITING, parcel=Parcel(P.INTENDED)), Tone.ACT, APPROVED, "RF-R1"),
        (part(AWAITING, parcel=Parcel(P.BOOKED, visit=VISIT)), Tone.ACT, "A courier comes", "pack the goods"),
        (part(AWAITING, parcel=Parcel(P.INTENDED, drop_off=True)), Tone.ACT, APPROVED, "pack the goods"),
        (part(AWAITING, parcel=Parcel(P.BOOKED, drop_off=True, label="https://l.example/1"), deadline=NOON), Tone.ACT,
         "Please send the goods back", "Hand it over by"),
        (part(AWAITING, parcel=Parcel(P.MISSED)), Tone.ACT, "The courier did not get", "keep the parcel"),
        (part(AWAITING, parcel=Parcel(P.IN_TRANSIT)), Tone.WAITING, "Your parcel is on its way back", ""),
        (part(AWAITING, cancel_wanted=True), Tone.WAITING, "Your cancellation is on its way", ""),
        (part(S.INSPECTING), Tone.WAITING, "We have your goods and are checking them", ""),
        (part(S.REFUNDING), Tone.MOVING, "Your refund is being paid", ""),
        (part(S.REFUNDING, money=(CASH,)), Tone.WAITING, "Your refund is approved", ""),
        (part(S.REFUNDING, lacks_second=True), Tone.WAITING, "Your refund is being checked once more", ""),
        (part(S.FAILED, money=RETURNED), Tone.TROUBLE, "Money of your refund has come", "where it is to go instead"),
        (part(S.FAILED, money=RETURNED, code=CODE), Tone.TROUBLE, "Money of your refund", "enter below the code that"),
        (part(AWAITING, code=CODE), Tone.ACT, APPROVED, "sent to ***5678, by 4 May 2026, 14:00 UTC+2. Please pack the"),
        (part(S.REFUNDING, held_until=NOON), Tone.WAITING, "Your refund is approved", ""),
        (part(S.REFUNDED, money=(SENT,)), Tone.DONE, "Your refund has been sent", ""),
        (part(S.REFUNDED, amount_minor=0, money=()), Tone.DONE, "Your refund is complete", ""),
        (part(S.PARTIALLY_REFUNDED, money=(SENT,)), Tone.DONE, "Your refund was carried out in part", ""),
        (part(S.FAILED), Tone.TROUBLE, "The money could not be sent yet", ""),
        (part(S.REJECTED, rejection="Worn."), Tone.OVER, "Your refund was not approved", "If you do not agree"),
        (part(S.OFFERED, offered_minor=300), Tone.ACT, "We have made you an offer", "accept or decline"),
        (part(S.IN_REVIEW, answer_by=NOON, held_until=NOON), Tone.ACT, "We have a question", "Please answer below by"),
        (
            part(S.REJECTED, contest_until=NOON, actions=frozenset({Action.CONTEST})),
            Tone.OVER,
            "Your refund was not approved",
            "you can say so below until",
        ),
        (part(S.EXPIRED), Tone.OVER, "Your refund has expired", "please write to us"),
        (part(S.CANCELLED), Tone.OVER, "This refund has been cancelled", ""),
    ],
)  # fmt: skip
def test_each_state_is_said_with_what_is_to_be_done(of: Part, tone: Tone, headline: str, todo: str) -> None:
    told = tell(of, WORDS)
    assert (told.tone, told.headline.startswith(headline)) == (tone, True), told
    assert todo in told.todo if todo else not told.todo, told


@pytest.mark.parametrize(
    ("of", "lead"),
    [
        (part(S.IN_REVIEW, deadline=NOON), "You should have an answer by 4 May 2026, 14:00 UTC+2."),
        (part(S.IN_REVIEW, deadline=NOON, held_until=NOON), "It has been put on hold, and goes on by 4 May 2026"),
        (part(S.INSPECTING, deadline=NOON), "They will be checked by 4 May 2026, 14:00 UTC+2"),
        (part(AWAITING, parcel=Parcel(P.BOOKED, visit=VISIT)), "The courier comes on Tuesday, 5 May 2026"),
        (part(S.REFUNDED, money=(SENT,)), "We have sent €20.00 to your original payment method."),
        (part(S.REFUNDED, money=TWICE), "We have sent €20.00 to your original payment methods."),
        (part(S.REFUNDED, money=OUTSIDE), "We have sent €20.00 in the way agreed"),
        (part(S.REFUNDED, money=()), "Your refund of €20.00 is complete."),
        (part(S.REFUNDED, amount_minor=0), "There was no money to pay back"),
        (part(S.REFUNDED, amount_minor=0, sheet=KEPT_ALL), "There is no money to pay back. Not refunded: €5.00"),
        (part(S.REFUNDED, money=HELD), "The hold on €15.00 is released: that money had not been taken from you. "
         "We have sent €5.00 to your original payment method."),
        (part(S.REFUNDED, money=DISPUTED), "Your bank has paid you €7.00 already, by the dispute you opened there. "
         "We have sent €13.00 to"),
        (part(S.REFUNDED, money=CREDITED), "We have added €5.33 to your store credit. You can spend it in our shop at "
         "once. We have sent €2.67 to your original"),
        (part(S.PARTIALLY_REFUNDED, money=CREDITED), "We have added €5.33 to your store credit. You can spend it"),
        (part(S.FAILED, money=RETURNED), "€20.00 that we had sent you has come back to us. The card or the account"),
        (part(S.OFFERED, offered_minor=300), "We offer you €3.00 instead of the whole refund of €20.00, and you keep"),
        (part(S.REFUNDING, lacks_second=True), "Before the money is sent, a second person here has to agree."),
        (part(S.REJECTED, rejected_as=Rejection.NOT_REVIEWED), "It could not be approved within the time set for it."),
        (part(S.REJECTED, rejection="Worn."), "No money has been moved."),
        (part(S.REJECTED, rejected_as=Rejection.NOTHING_ACCEPTED), "We have checked the parcel"),
    ],
)  # fmt: skip
def test_the_lead_names_times_and_amounts(of: Part, lead: str) -> None:
    assert tell(of, WORDS).lead.replace("\u00a0", " ").startswith(lead)


def test_an_offer_is_shown_with_what_it_is_instead_of_and_promises_no_other_money() -> None:
    [shown] = show_request(Request("RF-R1", (part(S.OFFERED, offered_minor=300),)), WORDS).parts
    assert (shown.figure, shown.to) == ("€3.00 instead of €20.00", ())


@pytest.mark.parametrize(
    ("instrument", "goes", "again"),
    [
        (Instrument.ACCOUNT, "€20.00 goes to the account ***2051.", "Write to us"),
        (Instrument.STORE_CREDIT, "€20.00 is added to your store credit.", "Ask for another below."),
    ],
)
def test_a_code_says_what_it_confirms_where_it_went_and_how_to_get_another(
    instrument: Instrument, goes: str, again: str
) -> None:
    of = part(S.FAILED, money=RETURNED, code=replace(CODE, instrument=instrument))
    confirms, without = show_request(Request("RF-R1", (of,)), WORDS).parts[0].code
    assert "to ***5678. It is good until 4 May 2026, 14:00 UTC+2." in confirms and goes in confirms
    assert again in without and "not your wish" in without


def test_money_that_came_back_is_not_said_to_go_there() -> None:
    returned = part(S.FAILED, money=(replace(RETURNED[0], account="card ending 0305"),))
    assert [row.label for row in goes_to(returned.money, "EUR", WORDS)] == [
        "Came back from card ending 0305 (payment pay-1)"
    ]
    assert money_by(returned, WORDS) == "Once we know where it is to go."
    happened = tuple(Happened(f"refund.{kind}", NOON, {}) for kind in ("refunded", "failed"))
    assert story(replace(returned, happened=happened), WORDS)[-1].text == "Money that we had sent you came back to us"


def test_money_that_waits_for_a_second_person_names_its_account_and_promises_nothing_sooner() -> None:
    payout = Money("pay-1", 2000, MovementState.INTENDED, account="***2051", is_payout=True)
    waiting = part(S.REFUNDING, money=(payout,), lacks_second=True)
    assert [row.label for row in goes_to(waiting.money, "EUR", WORDS)] == ["To the account ***2051"]
    assert money_by(waiting, WORDS) == "Usually 1 to 3 working days after a second person here has agreed."


def test_a_card_is_named_in_the_readers_language() -> None:
    with translation.override("zh-hans"):
        assert account_named("card ending 0305") == "尾号 0305 的银行卡"
    assert account_named("IBAN ***2051") == "IBAN ***2051"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", RefundState)
def test_every_state_is_told_in_every_language(state: RefundState, language: str) -> None:
    with translation.override(language):
        told = tell(part(state), Words(language))
    assert told.headline and told.lead
    assert (language == "en") == told.headline.isascii()


def test_the_page_looks_again_as_fast_as_things_move_and_stops_in_the_end() -> None:
    assert look_every((part(S.REFUNDING), part(S.IN_REVIEW)), WORDS) == 2
    assert look_every((part(S.REFUNDED), part(S.IN_REVIEW)), WORDS) == 5
    assert look_every(tuple(part(state) for state in FINAL_STATES), WORDS) == 0
    assert all(look_every((part(state),), WORDS) for state in set(RefundState) - FINAL_STATES)


def test_the_story_tells_what_concerns_the_customer_and_nothing_twice() -> None:
    kinds = ("refund.requested", "gateway_refund.pending", "pickup.booked", "pickup.booked", "refund.acknowledged")
    happened = tuple(Happened(kind, NOON, {"slot_from": NOON.isoformat()}) for kind in kinds)
    steps = story(part(happened=happened), WORDS)
    assert [step.text for step in steps] == [
        "The refund was requested",
        "A courier was booked for 4 May 2026, 14:00 UTC+2",
    ]
    assert (steps[0].at, steps[0].iso) == ("4 May 2026, 14:00 UTC+2", "2026-05-04T12:00:00+00:00")


def test_every_arrow_that_ends_a_wait_is_in_the_story() -> None:
    assert {f"refund.{state}" for state in RefundState} <= TOLD.keys()


@pytest.mark.parametrize(
    ("state", "money", "by"),
    [
        (S.REFUNDED, (SENT,), "Sent on 4 May 2026, 14:00 UTC+2; usually there"),
        (S.REFUNDED, (CREDIT,), "Your store credit is there."),
        (S.REFUNDED, CREDITED, "Sent on 4 May 2026, 14:00 UTC+2; usually there after 1 to 3 working days. Your store"),
        (S.PARTIALLY_REFUNDED, (SENT,), "Sent on 4 May 2026, 14:00 UTC+2; usually there"),
        (S.PARTIALLY_REFUNDED, (CREDIT,), "Your store credit is there."),
        (S.REFUNDING, (), "Usually 1 to 3 working days from now."),
        (S.REFUNDING, (CREDIT,), "As soon as the refund is carried out."),
        (S.IN_REVIEW, (CREDIT,), "As soon as it has been approved"),
        (S.IN_REVIEW, (), "Usually 1 to 3 working days after it has been approved"),
        (S.FAILED, (), "As soon as it is settled."),
        (S.CANCELLED, (), ""),
        (S.REJECTED, (), ""),
    ],
)
def test_by_when_the_money_is_there(state: RefundState, money: tuple[Money, ...], by: str) -> None:
    told = money_by(part(state, money=money), WORDS)
    assert told.startswith(by) and bool(told) == bool(by)


def rows_of(*money: Money) -> list[tuple[str, str]]:
    return [(row.label, row.amount) for row in goes_to(money, "EUR", WORDS)]


def test_where_the_money_goes_names_the_payments() -> None:
    rows = rows_of(SENT, Money("pay-2", 500, MovementState.EXTERNAL), Money("pay-3", 1, MovementState.CANCELLED))
    assert rows == [
        ("To your original payment method (payment pay-1)", "€20.00"),
        ("In the way agreed with you", "€5.00"),
    ]


def test_what_goes_the_same_way_is_one_row() -> None:
    assert rows_of(CREDIT, replace(CREDIT, reference="pay-4")) == [("As store credit", "€10.66")]


def test_a_released_hold_and_what_the_bank_has_paid_are_rows_of_their_own() -> None:
    original = "To your original payment method (payment pay-1)"
    assert rows_of(*HELD) == [(original, "€5.00"), ("Hold that is released, not charged", "€15.00")]
    assert rows_of(*DISPUTED) == [(original, "€13.00"), ("Paid by your bank, by your dispute", "€7.00")]


def test_a_refund_that_was_sent_and_came_back_is_not_cancelled_as_if_nothing_had_moved() -> None:
    lead = tell(part(S.CANCELLED, happened=(Happened("refund.refunded", NOON, {}),)), WORDS).lead
    assert "has come back to us, and is not sent again" in lead and "No money has been moved" not in lead


def test_a_sheet_is_read_in_the_readers_language() -> None:
    entries = [
        {"kind": "line", "label": "Mug", "quantity": 2, "amount_minor": 2000},
        {"kind": "discount", "label": "Spring", "quantity": 0, "amount_minor": -300},
        {"kind": "shipping", "label": "Shipping", "quantity": 0, "amount_minor": 490},
    ]
    with translation.override("zh-hans"):
        rows = sheet_rows(entries, "CNY", Words("zh-hans"))
    assert [(row.label, row.amount, row.off) for row in rows] == [
        ("2 × Mug", "¥20.00", False),
        ("Spring", "-¥3.00", True),
        ("运费", "¥4.90", False),
    ]


def test_a_request_in_two_parts_is_one_page_and_offers_what_each_part_allows() -> None:
    first = part(S.REFUNDED, money=(SENT,), part=1, parts=2)
    can = frozenset({Action.CANCEL, Action.SHIP_BACK, Action.REBOOK_PICKUP})
    second = part(AWAITING, part=2, parts=2, actions=can)
    shown = show_request(Request("RF-R1", (first, second)), WORDS)
    assert [each.title for each in shown.parts] == ["Part 1 of 2", "Part 2 of 2"]
    assert [each.actions for each in shown.parts] == [(), ("ship_back", "rebook_pickup", "cancel")]
    assert (shown.amount, shown.every) == ("€40.00", 5)
    wished = show_request(Request("RF-R1", (replace(second, cancel_wanted=True),)), WORDS)
    assert "cancel" not in wished.parts[0].actions


def test_what_strangers_typed_is_clean_and_an_inspection_is_told_line_by_line() -> None:
    odd = part(S.REJECTED, rejection="Worn\u202e.", note="a\u202eb\nc", items=(Item("Mug\n", 0, damaged=2, missing=1),))
    [shown] = show_request(Request("RF-R1", (odd,)), WORDS).parts
    assert shown.findings == ("Mug: 2 damaged, 1 missing",)
    assert shown.rejection == "Worn."
    [again] = show_request(Request("RF-R1", (replace(odd, state=S.IN_REVIEW),)), WORDS).parts
    assert again.rejection == "", "it is looked at again: what was said before is no answer"
    assert [fact.text for fact in shown.facts if fact.label == "Your note"] == ["ab\nc"]


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("help@shop.test", "mailto:help@shop.test"),
        ("https://shop.test/help", "https://shop.test/help"),
        ("javascript:alert(1)", ""),
        ("+49 30 1234", ""),
    ],
)
def test_only_a_mail_address_and_a_web_page_are_links(contact: str, link: str) -> None:
    assert contact_link(contact) == link


@pytest.mark.parametrize("state", [MovementState.SUCCEEDED, MovementState.EXTERNAL])
def test_of_a_hold_that_is_released_no_money_is_awaited(state: MovementState) -> None:
    released = part(S.REFUNDED, money=(Money("pay-1", 1000, state, SENT.at, kind=MovementKind.VOID),))
    assert money_by(released, WORDS) == ""


CLOSED = {
    "amount_minor": 533,
    "sheet": ({"kind": "limit", "label": Cut.NOT_SENT.value, "amount_minor": -667, "line_id": "", "quantity": 0},),
}


@pytest.mark.parametrize(
    ("of", "figure"),
    [
        (part(S.PARTIALLY_REFUNDED, **CLOSED), "€5.33 of €12.00"),
        (part(S.REFUNDED, amount_minor=1200), "€12.00"),
        (part(S.FAILED, amount_minor=1200), "€12.00"),
    ],
)
def test_the_amount_of_a_refund_that_ended_in_part_is_what_was_sent_of_it(of: Part, figure: str) -> None:
    shown = show_request(Request("RF-R1", (of,)), WORDS)
    assert shown.parts[0].figure == figure
