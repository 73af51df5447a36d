"""Every message as a customer gets it. After a wanted change: GOLDEN=write pytest tests/unit/messages."""

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from refunds.messages.facts import MessageFacts
from refunds.messages.kept import Kept
from refunds.messages.moved import Moved
from refunds.messages.render import render_message
from tests.unit.messages.samples import CHANNELS, LANGUAGES, TEMPLATES, inspected, new_link, sample

GOLDEN = Path(__file__).parent / "golden"


def matches(name: str, content: str) -> bool:
    file = GOLDEN / name
    if os.environ.get("GOLDEN") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(content, encoding="utf-8")
    return file.read_text(encoding="utf-8") == content


def matches_golden(name: str, facts: MessageFacts) -> bool:
    message = render_message(facts)
    head = f"Subject: {message.subject}\n\n" if facts.channel == "email" else ""
    name = f"{name}.{facts.language}.{facts.channel}"
    is_same = matches(f"{name}.txt", head + message.text.rstrip("\n") + "\n")
    return is_same and (facts.channel == "sms" or matches(f"{name}.html", message.html))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("template", TEMPLATES)
def test_message_reads_as_approved(template: str, channel: str, language: str) -> None:
    facts = sample(language, template=template, channel=channel)
    if template == "closed_in_part":
        facts = replace(facts, amount_minor=23450, unsent_minor=100000, moved=Moved(original_minor=23450))
    if template in ("failed", "reversed"):
        facts = replace(facts, moved=Moved(returned_minor=123450 if template == "reversed" else 0))
    assert matches_golden(template, inspected(facts) if template == "parcel_checked" else facts)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("channel", CHANNELS)
def test_second_visit_reads_as_a_new_time(channel: str, language: str) -> None:
    assert matches_golden(
        "pickup_booked.again", sample(language, template="pickup_booked", channel=channel, again=True)
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("channel", CHANNELS)
def test_goods_that_were_sent_already_read_as_awaited(channel: str, language: str) -> None:
    facts = sample(language, template="approved", channel=channel, route="pickup", goods="already_sent")
    assert matches_golden("approved.sent", facts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_goods_that_were_all_refused_read_as_what_was_found(language: str) -> None:
    assert matches_golden("rejected.goods", inspected(sample(language, template="rejected"), accepted=0))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("template", ["received", "refunded", "refunded_at_once", "cancelled"])
def test_refund_that_no_customer_asked_for_says_nothing_else(template: str, channel: str, language: str) -> None:
    facts = sample(language, template=template, channel=channel, asked=False, note="")
    assert matches_golden(f"{template}.unasked", facts)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("template", ["received", "refunded", "refunded_at_once"])
def test_what_the_shop_gives_by_itself_says_so_and_what_others_get(template: str, channel: str, language: str) -> None:
    gives = {"asked": False, "by_shop": True, "items": (), "funded": (("platform", 500), ("points", 120))}
    assert matches_golden(f"{template}.shop", sample(language, template=template, channel=channel, **gives))


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_has_received_nothing_is_told_until_when_it_is_looked_for(language: str) -> None:
    facts = sample(language, template="received", proof_until=datetime(2026, 7, 3, 12, tzinfo=UTC))
    assert matches_golden("received.denied", facts)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("template", ["approved", "pickup_booked", "refunded"])
def test_what_was_not_approved_is_named(template: str, language: str) -> None:
    desk, lamp = (facts := sample(language, template=template)).items
    assert matches_golden(f"{template}.part", replace(facts, items=(desk, replace(lamp, quantity=1, denied=1))))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("outward", ["comes", "back"])
def test_an_approval_says_what_is_true_of_the_parcel(outward: str, channel: str, language: str) -> None:
    facts = sample(language, template="approved", channel=channel, outward=outward)
    assert matches_golden(f"approved.{outward}", facts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_link_reads_as_one_to_the_order(language: str) -> None:
    assert matches_golden("new_link", new_link(language))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("template", ["failed", "refunded"])
def test_money_that_went_several_ways_reads_as_each_of_them(template: str, channel: str, language: str) -> None:
    amounts = {"failed": {"original_minor": 20000, "returned_minor": 3450}, "refunded": {"released_minor": 100000}}
    ways = {"credit_minor": 23450 - amounts[template].get("original_minor", 0), **amounts[template]}
    moved = Moved(**ways, accounts=("card ending 0305",) if template == "failed" else ())
    facts = sample(language, template=template, channel=channel, moved=moved)
    assert matches_golden(f"{template}.ways", facts)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "amount_minor"), [("kept", 122450), ("kept_all", 0)])
def test_what_stays_with_the_shop_is_named(name: str, amount_minor: int, language: str) -> None:
    kept = (Kept("gift", "Desk mat", 500), Kept("deposit", "Deposit", 500))
    facts = sample(language, template="refunded", amount_minor=amount_minor, kept=kept, moved=Moved())
    paid = replace(facts, moved=Moved(original_minor=amount_minor))
    assert matches_golden(f"refunded.{name}", paid)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_price_adjustment_names_its_item(language: str) -> None:
    assert matches_golden("refunded.adjusted", sample(language, template="refunded", items=(), adjusted=("Desk",)))
