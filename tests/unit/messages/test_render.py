"""What holds for every message, whatever its words."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refunds.messages.facts import Item, MessageFacts
from refunds.messages.kept import Kept
from refunds.messages.moved import Moved
from refunds.messages.render import render_message
from refunds.messages.sms import in_gsm, room_left
from tests.sizes import examples
from tests.unit.messages.samples import LANGUAGES, TEMPLATES, inspected, sample

WAYS = (
    {"moved": Moved(original_minor=123450)},
    {"moved": Moved(original_minor=23450, agreed_minor=100000)},
    {"moved": Moved(agreed_minor=123450)},
    {"moved": Moved()},
    {"amount_minor": 0, "moved": Moved()},
    {"moved": Moved(disputed_minor=123450)},
    {"moved": Moved(released_minor=123450)},
    {"moved": Moved(original_minor=23450, disputed_minor=40000, released_minor=60000)},
    {"moved": Moved(credit_minor=123450)},
    {"moved": Moved(credit_minor=100000, original_minor=23450, accounts=("card ending 0305",))},
    {"moved": Moved(original_minor=100000, returned_minor=23450)},
)
KEPT = (Kept("gift", "Mug", 500), Kept("deposit", "Deposit", 500))
HOSTILE = '<b onclick="x">Eve</b>\r\nBcc: all@shop.example\u202e'


@pytest.mark.parametrize("channel", ["email", "sms"])
def test_messages_of_one_request_share_subject_and_thread(channel: str) -> None:
    messages = [render_message(sample(template=template, channel=channel)) for template in TEMPLATES]
    assert len({(m.subject, m.references) for m in messages}) == 1


def test_mail_carries_its_identity_as_message_id_and_names_the_refund() -> None:
    message = render_message(sample())
    assert message.identity == "<42.3.email@rf7k2q.shop.example>"
    assert message.references == ("<request.42@rf7k2q.shop.example>",)
    assert message.refund == "RF7K2Q-42"


def test_sms_carries_a_template_and_its_parameters_for_providers_that_hold_the_texts() -> None:
    message = render_message(sample("zh-hans", template="refunded", channel="sms"))
    assert message.template == "refunded.zh-hans"
    assert message.params == {
        "shop": "橡树与灯笼",
        "order": "2026062610071",
        "request": "RF7K2Q-R42",
        "amount": "¥1,234.50",
    }


@pytest.mark.parametrize(
    "template, name, text",
    [("pickup_booked", "visit", "6月30日16:00–20:00 UTC+8"), ("reminder", "deadline", "7月10日22:03 UTC+8")],
)
def test_sms_that_asks_for_something_names_its_time_apart(template: str, name: str, text: str) -> None:
    message = render_message(sample("zh-hans", template=template, channel="sms"))
    assert message.params[name] == text and text in message.text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("template", TEMPLATES)
def test_hostile_names_stay_text(template: str, language: str) -> None:
    facts = sample(
        language,
        template=template,
        items=(Item(HOSTILE, 1, accepted=1),),
        **dict.fromkeys(("customer", "order", "shop", "contact", "note", "reason", "country"), HOSTILE),
    )
    message = render_message(facts)
    assert len(message.subject.splitlines()) == 1
    assert "<b onclick" not in message.html and "&lt;b onclick" in message.html
    assert "&amp;lt;" not in message.html
    assert "\u202e" not in message.html + message.text + message.subject


def test_text_part_is_not_escaped() -> None:
    message = render_message(sample())
    assert "Oak & Lantern" in message.text and "Desk lamp <brass> & shade" in message.text


@pytest.mark.parametrize(
    "contact, href",
    [
        ("help@oak.example", 'href="mailto:help@oak.example"'),
        ("https://oak.example/help", 'href="https://oak.example/help"'),
        ("+44 20 7946 0000", None),
        ("javascript:alert(1)", None),
    ],
)
def test_only_mail_and_web_contacts_become_links(contact: str, href: str | None) -> None:
    html = render_message(sample(contact=contact)).html
    assert contact in html
    assert (href in html) if href else (html.count("<a ") == 1)


def test_received_tells_what_was_asked_and_when() -> None:
    text = render_message(sample(template="received")).text
    for fact in (
        "SO-10071",
        "RF7K2Q-R42",
        "€1,234.50",
        "26 June 2026, 15:03 UTC+1",
        "2 × Desk lamp",
        "not what I expected",
    ):
        assert fact in text


@pytest.mark.parametrize("language, part", [("en", "part 1 of 2"), ("zh-hans", "共 2 部分，第 1 部分")])
@pytest.mark.parametrize("template", TEMPLATES)
def test_a_divided_request_says_which_part_this_is(template: str, language: str, part: str) -> None:
    message = render_message(sample(language, template=template, part=1, parts=2))
    assert part in message.text and part in message.html


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_mail_names_the_amount_the_order_the_items_and_whom_to_ask(template: str) -> None:
    message = render_message(inspected(sample(template=template)))
    for fact in ("€1,198.50", "SO-10071", "RF7K2Q-R42", "Walnut desk, 160 cm", "help@oak.example"):
        assert fact in message.text and fact in message.html


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_mail_leads_to_the_customers_page(template: str) -> None:
    facts = sample(template=template)
    message = render_message(facts)
    assert f'href="{facts.page}"' in message.html and facts.page in message.text.splitlines()


def test_courier_comes_by_the_clock_on_the_customers_wall() -> None:
    text = render_message(sample(template="pickup_booked")).text
    assert "The courier comes on Tuesday, 30 June 2026, 09:00\u00a0to\u00a013:00 UTC+1" in text
    assert "Hand it over by 10 July 2026, 15:03 UTC+1" in text
    assert "Packing list:\n- 1 × Walnut desk" in text


@pytest.mark.parametrize("template", ["pickup_booked", "reminder"])
@pytest.mark.parametrize("again", [False, True])
def test_times_that_are_not_known_are_not_told(template: str, again: bool) -> None:
    message = render_message(sample(template=template, visit=None, deadline=None, again=again))
    assert "UTC+1" not in message.text.replace("26 June 2026, 15:03 UTC+1", "") and "None" not in message.text


@pytest.mark.parametrize("channel", ["email", "sms"])
@pytest.mark.parametrize(
    "state, said", [("awaiting_return", "A new visit is being booked."), ("in_review", "We are looking into it")]
)
def test_missed_visit_promises_another_only_while_goods_are_awaited(state: str, said: str, channel: str) -> None:
    assert said in render_message(sample(template="pickup_missed", state=state, channel=channel)).text


@pytest.mark.parametrize(
    "route, said", [("intercept", "parcel stopped on its way"), ("pickup", "could not be stopped any more")]
)
def test_approved_parcel_that_has_arrived_meanwhile_is_not_said_to_be_stopped(route: str, said: str) -> None:
    assert said in render_message(sample(template="approved", route=route)).text


def test_checked_parcel_tells_what_was_found_of_each_line_and_the_new_amount() -> None:
    text = render_message(inspected(sample(template="parcel_checked"))).text
    assert "- Walnut desk, 160 cm – 1 announced: 1 accepted" in text
    assert "- Desk lamp <brass> & shade – 2 announced: 1 accepted, 1 damaged" in text
    assert "Your refund is now €1,198.50, for the accepted items only." in text


def test_line_that_was_not_accepted_is_no_item_of_the_refund_any_more() -> None:
    items = (Item("Walnut desk", 0, damaged=1), Item("Desk lamp", 2, accepted=2))
    assert "Walnut desk" not in render_message(sample(template="refunded", items=items)).text


@pytest.mark.parametrize("template", ["pickup_booked", "reminder"])
def test_packing_list_names_only_what_the_customer_has(template: str) -> None:
    items = (Item("Walnut desk", 1, elsewhere=1), Item("Desk lamp", 3, elsewhere=1))
    text = render_message(sample(template=template, items=items)).text
    assert "2 × Desk lamp" in text and "Walnut desk" not in text


def test_reason_of_a_rejection_reaches_the_customer() -> None:
    message = render_message(sample(template="rejected", reason="Worn.\nSee <photo>."))
    assert "Reason:\nWorn.\nSee <photo>." in message.text
    assert "Worn.<br>See &lt;photo&gt;." in message.html


def test_rejection_by_the_clock_says_so() -> None:
    text = render_message(sample(template="rejected", reason="", rejection="not_reviewed")).text
    assert "within the time set for it" in text and "Reason" not in text


@pytest.mark.parametrize("channel", ["email", "sms"])
def test_approved_goods_that_were_sent_already_are_awaited_not_fetched(channel: str) -> None:
    text = render_message(sample(template="approved", channel=channel, route="pickup", goods="already_sent")).text
    assert "sent back" in text and "courier" not in text


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("channel", ["email", "sms"])
def test_customer_who_asked_for_nothing_is_not_told_he_did(template: str, channel: str) -> None:
    text = render_message(sample(template=template, channel=channel, asked=False, note="")).text
    assert not re.search(r"[Yy]ou asked|[Rr]equest received|(We|we) (have )?received|refund request", text)


@pytest.mark.parametrize("channel", ["email", "sms"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "instrument, named",
    [("account", {"en": "***2051"}), ("store_credit", {"en": "your store credit", "zh-hans": "余额"})],
)
def test_code_names_where_the_money_would_go(
    instrument: str, named: dict[str, str], language: str, channel: str
) -> None:
    text = render_message(sample(language, template="target_code", channel=channel, instrument=instrument)).text
    assert named.get(language, named["en"]) in text


@pytest.mark.parametrize("channel", ["email", "sms"])
@pytest.mark.parametrize("template", ["failed", "reversed"])
def test_who_has_to_say_where_money_goes_is_not_told_to_do_nothing(template: str, channel: str) -> None:
    text = render_message(sample(template=template, channel=channel, moved=Moved(returned_minor=123450))).text
    assert "where it can go instead" in text and "need not do anything" not in text


@pytest.mark.parametrize("template", ["offered", "offer_reminder"])
def test_offer_says_instead_of_what(template: str) -> None:
    message = render_message(sample(template=template))
    for part in (message.text, message.html):
        assert "€300.50 instead of the whole refund of €1,234.50" in part and "10 July 2026, 15:03 UTC+1" in part


@pytest.mark.parametrize("template", ["refunded", "refunded_at_once"])
@pytest.mark.parametrize(
    "changes, said",
    [
        ({}, "sent €1,234.50 to your original payment method. It usually takes 1 to 3 working days"),
        ({"moved": Moved(original_minor=123450, payments=2)}, "to your original payment methods."),
        (
            WAYS[1],
            "We have sent €1,000.00 in the way agreed with you. We have sent €234.50 to your original payment method. "
            "It usually takes 1 to 3 working days to arrive.",
        ),
        (WAYS[2], "We have sent €1,234.50 in the way agreed with you."),
        (WAYS[3], "Your refund of €1,234.50 is complete."),
        (WAYS[4], "There was no money to pay back"),
        (WAYS[5], "Your bank has paid you €1,234.50 already, by the dispute you opened there."),
        (WAYS[6], "The hold on €1,234.50 is released: that money had not been taken from you."),
        (
            WAYS[7],
            "The hold on €600.00 is released: that money had not been taken from you. Your bank has paid you €400.00 "
            "already, by the dispute you opened there. We have sent €234.50 to your original payment method. It",
        ),
        (WAYS[8], "We have added €1,234.50 to your store credit."),
        (
            WAYS[9],
            "We have added €1,000.00 to your store credit. You can spend it in our shop at once. We have sent €234.50 "
            "to your original payment method. It goes to: card ending 0305. It usually takes 1 to 3 working days",
        ),
        (
            WAYS[4] | {"kept": KEPT},
            "There is no money to pay back. Not refunded: €5.00 for the gift you keep (Mug), €5.00 of your deposit.",
        ),
    ],
)
def test_where_the_money_went_is_told_as_it_was(template: str, changes: dict[str, Any], said: str) -> None:
    assert said in " ".join(render_message(sample(template=template, **changes)).text.split())


@pytest.mark.parametrize(
    "changes", [{"template": "failed"}, {"template": "closed_in_part", "amount_minor": 23450, "unsent_minor": 100000}]
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_missing_is_named_beside_what_has_moved(language: str, changes: dict[str, Any]) -> None:
    facts = sample(language, currency="EUR", moved=Moved(credit_minor=23450), **changes)
    text = render_message(facts).text
    assert "234.50" in text and "1,000.00" in text and "working days" not in text
    assert "1,000.00" in render_message(replace(facts, channel="sms")).text


@pytest.mark.parametrize("channel", ["email", "sms"])
def test_money_that_came_back_after_it_was_announced_is_told_as_that(channel: str) -> None:
    back = {"moved": Moved(returned_minor=123450), "announced": True, "channel": channel}
    failed = " ".join(render_message(sample(template="failed", **back)).text.split())
    assert "that we had sent you has come back to us" in failed
    assert "could not be sent" not in failed and "has not been sent" not in failed
    closed = render_message(sample(template="cancelled", **back | {"moved": Moved()})).text
    assert "has come back to us, and is not sent again" in closed and "No money has been moved" not in closed


@pytest.mark.parametrize("way", [way for way in WAYS if len(way.get("moved", Moved()).by_way) != 1])
def test_sms_names_a_way_only_where_it_is_the_only_one(way: dict[str, Any]) -> None:
    text = render_message(sample(template="refunded", channel="sms", **way)).text
    assert "store credit" not in text and "payment method" not in text


def test_a_mail_says_what_of_the_worth_is_not_refunded_and_why() -> None:
    for template in ("received", "refunded", "parcel_checked"):
        message = render_message(sample(template=template, kept=KEPT))
        for part in ("€5.00 for the gift you keep (Mug)", "€5.00 of your deposit"):
            assert part in message.text and part in message.html


def test_a_mail_about_a_price_adjustment_names_its_item() -> None:
    message = render_message(sample(template="refunded", items=(), adjusted=("Walnut desk",)))
    assert "Price adjustment: Walnut desk" in message.text and "Price adjustment: Walnut desk" in message.html


def test_store_credit_has_a_headline_of_its_own() -> None:
    assert render_message(sample(template="refunded", **WAYS[8])).text.startswith("Your refund is in your store credit")
    held = Moved(credit_minor=23450, released_minor=100000)
    assert render_message(sample(template="refunded", moved=held)).text.startswith("Your refund is complete")


def test_a_refund_of_nothing_shows_no_amount() -> None:
    message = render_message(sample(template="refunded", **WAYS[4]))
    assert "€" not in message.text + message.html


@pytest.mark.parametrize("template", [name for name in TEMPLATES if not name.startswith("offer")])
def test_mail_about_a_refund_of_nothing_promises_no_amount(template: str) -> None:
    assert "€" not in render_message(sample(template=template, **WAYS[4])).text


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("template", TEMPLATES)
def test_ordinary_sms_is_one_sms_with_nothing_cut(template: str, language: str, way: dict[str, int]) -> None:
    message = render_message(sample(language, template=template, channel="sms", **way))
    assert room_left(message.text) >= 0
    assert in_gsm(message.text) == (language == "en")
    assert message.params["shop"] == sample(language).shop and message.params["order"] == sample(language).order


any_text = st.text(max_size=60)
any_facts = st.builds(
    lambda facts, **changes: replace(facts, channel="sms", **changes),
    st.sampled_from([sample(language) for language in LANGUAGES]),
    template=st.sampled_from(TEMPLATES),
    shop=any_text,
    order=any_text,
    amount_minor=st.integers(0, 10**11),
    currency=st.sampled_from(["EUR", "CNY", "JPY", "KRW", "KWD", "INR"]),
)


@pytest.mark.sized
@settings(max_examples=examples(100))
@given(any_facts)
def test_every_sms_is_one_sms(facts: MessageFacts) -> None:
    message = render_message(facts)
    assert room_left(message.text) >= 0
    assert "\n" not in message.text
    assert in_gsm(message.text) or facts.language != "en"


@pytest.mark.sized
@settings(max_examples=examples(100))
@given(any_text, any_text)
def test_nothing_a_customer_typed_breaks_a_header(customer: str, order: str) -> None:
    subject = render_message(sample(customer=customer, order=order)).subject
    assert len(subject.splitlines()) == 1 and "\x00" not in subject
