"""A demo shop: a key for every role and a handful of orders, made through the services. Again changes nothing."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction

from orders.models import Channel, Principal
from orders.roles import KEY_ROLES, SYSTEM, Role
from orders.services.carrier import CarrierFact, report_fact
from orders.services.facts import CustomerFact, DiscountFact, LineFact, OrderFacts, PaymentFact
from orders.services.keys import store_key
from orders.services.put_order import put_order
from orders.services.shipments import ShipmentFacts, add_shipment
from orders.states import ShipmentState

ACCOUNT = "sandbox"
ADA = CustomerFact("Ada Lovelace", "ada@example.test", "+447700900123", "en")
LI = CustomerFact("李雷", "lilei@example.test", "+8613800138000", "zh-Hans")


def _paid(number: str, amount_minor: int) -> tuple[PaymentFact, ...]:
    return (PaymentFact(ACCOUNT, f"pay-{number.lower()}", amount_minor),)


ORDERS = (
    OrderFacts(
        "DEMO-EUR-1",
        "EUR",
        (
            LineFact("MUG", "Blue mug", 2, unit_price_minor=1290, tax_minor=412),
            LineFact("TEA", "Green tea, 100 g", 1, unit_price_minor=850, tax_minor=56),
        ),
        _paid("DEMO-EUR-1", 3920),
        customer=ADA,
        shipping_minor=490,
        shipping_tax_minor=78,
    ),
    OrderFacts(
        "DEMO-EUR-2",
        "EUR",
        (LineFact("LAMP", "Reading lamp", 1, unit_price_minor=5990, tax_minor=956),),
        _paid("DEMO-EUR-2", 5990),
        customer=ADA,
    ),
    OrderFacts(
        "DEMO-JPY-1",
        "JPY",
        (LineFact("PEN", "Fountain pen", 1, unit_price_minor=5800),),
        _paid("DEMO-JPY-1", 5800),
        customer=ADA,
    ),
    OrderFacts(
        "DEMO-KWD-1",
        "KWD",
        (LineFact("OUD", "Oud perfume", 1, unit_price_minor=18600),),
        _paid("DEMO-KWD-1", 18600),
        customer=ADA,
    ),
    OrderFacts(
        "DEMO-CNY-1",
        "CNY",
        (
            LineFact("CHA", "龙井茶 250 克", 2, unit_price_minor=12800),
            LineFact("BEI", "青瓷茶杯", 4, unit_price_minor=3500),
        ),
        _paid("DEMO-CNY-1", 37600),
        (DiscountFact("新客优惠", 2000),),
        customer=LI,
    ),
)
SHIPPED = (ShipmentFacts("DEMO-EUR-2", None, "DHL", "JD0001", "demo-parcel-1"),)
DELIVERED = (ShipmentFacts("DEMO-CNY-1", None, "SF", "SF0001", "demo-parcel-2"),)


class Command(BaseCommand):
    help = "Load the demo shop; with --output, write its keys there as JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--output", type=Path, help="file for the keys; it is made readable to its owner only")

    def handle(self, *_: Any, output: Path | None, **__: Any) -> None:
        with transaction.atomic():
            channel = Channel.objects.get(is_default=True)
            keys = {role.value: [key] for role, key in _keys(channel)}
            _load_orders(channel.pk)
        if output:
            output.touch(mode=0o600)
            output.write_text(json.dumps({"keys": keys, "console": [], "links": {}}, indent=1))


def _keys(channel: Channel) -> Iterator[tuple[Role, str]]:
    """Each role's key follows from the secret of this installation: the same at every start, and nowhere else."""
    for role in KEY_ROLES:
        principal, created = Principal.objects.get_or_create(name=f"demo {role}", role=role)
        if created:
            principal.channels.add(channel)
        secret = hmac.digest(settings.SECRET_KEY.encode(), f"demo key of {role}".encode(), hashlib.sha256).hex()
        key = f"{secret[:12]}.{secret[12:]}"
        store_key(principal, key)
        yield role, key


def _load_orders(channel_id: int) -> None:
    for facts in ORDERS:
        put_order(facts, channel_id=channel_id, actor=SYSTEM)
    for parcel in (*SHIPPED, *DELIVERED):
        shipped = add_shipment(parcel, channel_id=channel_id, actor=SYSTEM)
        if parcel in DELIVERED and shipped.created:
            fact = CarrierFact(parcel.order_number, shipped.shipment.pk, ShipmentState.DELIVERED)
            report_fact(fact, channel_id=channel_id, actor=SYSTEM)
