"""One refund to tell about, and the ways it may differ."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from refunds.messages.facts import Item, MessageFacts

TEMPLATES = ("received", "refunded", "refunded_at_once", "failed", "cancelled")
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
    requested_at=datetime(2026, 6, 26, 14, 3, 27, tzinfo=UTC),
    currency="EUR",
    amount_minor=123450,
    original_minor=123450,
    items=(Item("Walnut desk, 160 cm", 1), Item("Desk lamp <brass> & shade", 2)),
    note="The colour is not what I expected.\nThank you!",
    customer="Ada O'Neil",
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
    shop="橡树与灯笼",
)
_SAMPLES = {"en": ENGLISH, "zh-hans": CHINESE}


def sample(language: str = "en", **changes: Any) -> MessageFacts:
    return replace(_SAMPLES[language], **changes)
