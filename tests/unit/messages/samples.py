"""One refund to tell about, and the ways it may differ."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from refunds.messages.facts import Item, MessageFacts, Visit
from refunds.messages.moved import Moved
from refunds.policy import PolicySpec

TEMPLATES = (*PolicySpec().email_for, "target_code")
LANGUAGES = ("en", "zh-hans")
CHANNELS = ("email", "sms")

ENGLISH = MessageFacts(
    template="received",
    channel="email",
    language="en",
    to="ada@customer.example",
    identity="42.3.email@rf7k2q.shop.example",
    thread="request.42@rf7k2q.shop.example",
    refund="RF7K2Q-42",
    request="RF7K2Q-R42",
    order="SO-10071",
    page="https://refunds.shop.example/r/eyJvcmRlciI6NDJ9:3a-Zk/requests/RF7K2Q-R42",
    requested_at=datetime(2026, 6, 26, 14, 3, 27, tzinfo=UTC),
    currency="EUR",
    amount_minor=123450,
    moved=Moved(original_minor=123450),
    items=(Item("Walnut desk, 160 cm", 1), Item("Desk lamp <brass> & shade", 2)),
    note="The colour is not what I expected.\nThank you!",
    customer="Ada O'Neil",
    country="IE",
    state="awaiting_return",
    route="intercept",
    reason="The return window of 30 days has passed.",
    deadline=datetime(2026, 7, 10, 14, 3, tzinfo=UTC),
    visit=Visit(datetime(2026, 6, 30, 8, tzinfo=UTC), datetime(2026, 6, 30, 12, tzinfo=UTC)),
    replaced_by="SO-10099",
    instrument="account",
    payee="***2051",
    label="https://labels.courier.example/WB7?refund=RF7K2Q-42",
    waybill="WB7F00D",
    code="042137",
    offered_minor=30050,
    offer_note="The scratch is small, and the desk is sound.",
    said="Which side of the desk is scratched?\nA photo would help.",
    answer_by=datetime(2026, 7, 3, 22, 59, tzinfo=UTC),
    shop="Oak & Lantern",
    contact="help@oak.example",
)
CHINESE = replace(
    ENGLISH,
    language="zh-hans",
    currency="CNY",
    order="2026062610071",
    items=(Item("胡桃木书桌 160 厘米", 1), Item("黄铜台灯（含灯罩）", 2)),
    note="颜色与预期不符。\n谢谢！",
    customer="李雷",
    country="CN",
    reason="已超过 30 天退货期限。",
    offer_note="划痕很小，书桌完好。",
    said="书桌的哪一侧有划痕？\n请附上照片。",
    shop="橡树与灯笼",
)
_SAMPLES = {"en": ENGLISH, "zh-hans": CHINESE}


def sample(language: str = "en", **changes: Any) -> MessageFacts:
    return replace(_SAMPLES[language], **changes)


def inspected(facts: MessageFacts, *, accepted: int = 1) -> MessageFacts:
    """The same refund after the parcel was opened: so many lamps were accepted, and with them the desk."""
    desk, lamp = facts.items
    found = (
        replace(desk, accepted=1) if accepted else replace(desk, missing=1),
        replace(lamp, quantity=accepted or 2, accepted=accepted, damaged=1, wrong_item=1 - accepted),
    )
    if not accepted:
        return replace(facts, items=found, reason="", rejection="nothing_accepted")
    return replace(facts, items=found, amount_minor=119850)


def new_link(language: str = "en") -> MessageFacts:
    """The one message that is about an order alone."""
    page = ENGLISH.page.partition("/requests")[0]
    about = {"template": "new_link", "refund": "", "request": "", "amount_minor": 0, "moved": Moved()}
    return sample(language, items=(), note="", reason="", deadline=None, visit=None, page=page, **about)
