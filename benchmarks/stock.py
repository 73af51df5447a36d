"""Paid orders that nobody has asked a refund of, stored set by set: what requests of a measurement use up."""

from collections.abc import Sequence
from itertools import count, islice

from django.db import transaction

from benchmarks.clones import settle
from orders import clock
from orders.errors import Problem
from orders.models import Channel, Order, OrderLine, Payment, PaymentShare
from orders.roles import Actor, Role
from refunds import records
from refunds.services.requests import RefundWish, request_refunds

PRICES = (2500, 1500)
CHUNK = 2000
SHOP = Actor("principal:1", Role.SHOP)
_numbers = count(1)


def stored_orders(wanted: int, *, account: str = "sandbox") -> list[str]:
    """The numbers of so many new orders of two lines and one payment; nothing has been shipped."""
    numbers = [f"S-{n}" for n in islice(_numbers, wanted)]
    for i in range(0, wanted, CHUNK):
        _store(numbers[i : i + CHUNK], account)
    settle()
    return numbers


def stored_refunds(numbers: Sequence[str], *, batch: int = 100) -> None:
    """All of these orders asked back by the product's own service; whoever works will be told."""
    channel_id = Channel.objects.get(is_default=True).pk
    for i in range(0, len(numbers), batch):
        wishes = [RefundWish(channel_id, number, SHOP, lines=None) for number in numbers[i : i + batch]]
        if refused := [result for result in request_refunds(wishes) if isinstance(result, Problem)]:
            raise refused[0]
    settle()


@transaction.atomic
def _store(numbers: Sequence[str], account: str) -> None:
    order_ids, payment_ids = (records.new_ids(model, len(numbers)) for model in (Order, Payment))
    channel_id = Channel.objects.get(is_default=True).pk
    total, now = sum(PRICES), clock.now()
    dated = {"ordered_at": now, "created_at": now, "updated_at": now}
    about = {"channel_id": channel_id, "currency": "EUR", "total_minor": total}
    money = {"allocated_minor": total, "captured_at": now, "account": account}
    named = list(zip(order_ids, payment_ids, numbers, strict=True))
    records.insert_objects(
        [Order(id=i, number=number, **about, **dated, **_customer(number)) for i, _, number in named]
    )
    records.insert_objects([_line(i, n, price) for i in order_ids for n, price in enumerate(PRICES)])
    records.insert_objects([Payment(id=i, reference=f"pay-{number}", **about, **money) for _, i, number in named])
    records.insert_objects([PaymentShare(payment_id=p, order_id=o, captured_minor=total) for o, p, _ in named])


def _customer(number: str) -> dict[str, str]:
    digits = number.removeprefix("S-")
    return {"customer_email": f"customer{digits}@example.org", "customer_phone": f"+49151{digits:>07}"}


def _line(order_id: int, position: int, price: int) -> OrderLine:
    sku = "AB"[position]
    return OrderLine(
        order_id=order_id,
        line_id=sku,
        position=position,
        sku=sku,
        name=f"Thing {sku}",
        quantity=1,
        unit_price_minor=price,
        list_minor=price,
    )
