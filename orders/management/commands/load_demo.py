"""A demo shop: a key and a console user for every role, orders, and a link to each for its customer.

Again changes nothing: what is there is left alone. What happens to the orders since is played over HTTP
(`workers.local.demo`).
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher, check_password
from django.contrib.auth.models import User
from django.core.management.base import CommandParser
from django.db import transaction

from orders.api.bodies import LONGEST_LINK, ORDER, order_facts
from orders.management.demo import DEMO_SHOP, DemoOrder, read_orders
from orders.models import Channel, Order, Principal
from orders.roles import KEY_ROLES, SYSTEM, Role
from orders.services.keys import store_key
from orders.services.links import LinkWish, make_link
from orders.services.put_order import put_order
from refunds.management.arguments import Once, a_path
from refunds.management.plain import PlainCommand

NAME, CONTACT = "Demo shop", "help@demo-shop.example"
RETURN_ADDRESS = {
    "name": "Demo shop, returns",
    "street": "Lagerweg 3",
    "postal_code": "12459",
    "city": "Berlin",
    "country": "DE",
}
LINK_LIFETIME = timedelta(seconds=LONGEST_LINK)


class Command(PlainCommand):
    help = "Load the demo shop; with --output, write its keys, passwords and links there as JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        output = parser.add_argument("--output", type=a_path, action=Once)
        output.help = "file for the secrets; it is made readable to its owner only"

    def handle(self, *_: Any, output: Path | None, **__: Any) -> None:
        shop = read_orders(DEMO_SHOP)
        with transaction.atomic():
            told = _load(_channel(), shop)
        if output:
            output.touch(mode=0o600)
            output.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")


def _load(channel: Channel, shop: list[DemoOrder]) -> dict[str, Any]:
    """All of it; what demo.json tells of it."""
    principals = {role: _principal(role, channel) for role in KEY_ROLES}
    keys = {role.value: [_key(principal, role)] for role, principal in principals.items()}
    console = [_console_user(principal, role) for role, principal in principals.items()]
    _put_orders(channel, shop)
    orders = [{"number": order.number, "about": order.about} for order in shop]
    return {"keys": keys, "console": console, "links": dict(_links(channel, shop)), "orders": orders}


def _channel() -> Channel:
    """The default shop front; a name and an address of the demo's, while it has none of its own."""
    channel = Channel.objects.get(is_default=True)
    if not channel.contact and not channel.return_address:
        channel.name, channel.contact, channel.return_address = NAME, CONTACT, RETURN_ADDRESS
        channel.save(update_fields=["name", "contact", "return_address"])
    return channel


def _principal(role: Role, channel: Channel) -> Principal:
    principal, created = Principal.objects.get_or_create(name=f"demo {role}", role=role)
    if created:
        principal.channels.add(channel)
    return principal


def _key(principal: Principal, role: Role) -> str:
    """A key follows from the secret of this installation: the same at every start, and nowhere else."""
    secret = _secret(f"demo key of {role}").hex()
    key = f"{secret[:12]}.{secret[12:]}"
    store_key(principal, key)
    return key


def _console_user(principal: Principal, role: Role) -> dict[str, str]:
    """Who logs in to the console in this role; the password follows from the secret, as the key does."""
    password = base64.b32encode(_secret(f"demo password of {role}"))[:16].decode().lower()
    user = principal.user or User(username=f"{role}")
    if not (user.password and check_password(password, user.password)):
        user.is_staff, user.password = True, _encoded(password)
        user.save()
    if principal.user_id is None:
        principal.user = user
        principal.save(update_fields=["user"])
    return {"username": user.username, "password": password, "role": role.value}


def _encoded(password: str) -> str:
    """In few rounds: it is drawn, not chosen, and the first login hardens it."""
    hasher = PBKDF2PasswordHasher()
    return hasher.encode(password, hasher.salt(), iterations=1000)


def _secret(name: str) -> bytes:
    return hmac.digest(settings.SECRET_KEY.encode(), name.encode(), hashlib.sha256)


def _put_orders(channel: Channel, shop: list[DemoOrder]) -> None:
    numbers = [order.number for order in shop]
    known = set(Order.objects.filter(channel=channel, number__in=numbers).values_list("number", flat=True))
    for order in shop:
        if order.number not in known:
            facts = order_facts(order.number, ORDER.run_validation(order.facts))
            put_order(facts, channel_id=channel.pk, actor=SYSTEM)


def _links(channel: Channel, shop: list[DemoOrder]) -> Iterator[tuple[str, str]]:
    """The page of each order, as its customer opens it."""
    for order in shop:
        wish = LinkWish(order.number, "order", LINK_LIFETIME)
        yield order.number, make_link(wish, channel_id=channel.pk, actor=SYSTEM).url
