"""Paid orders that nobody has asked a refund of, stored set by set: what requests of a measurement use up."""

from collections.abc import Sequence
from itertools import count, islice

from django.db import transaction

from benchmarks.clones import settle
from orders import clock
from orders.models import Channel, Order, OrderLine, Payment, PaymentShare
from refunds import records

PRICES = (2500, 1500)
CHUNK = 2000
_numbers = count(1)


def stored_orders(wanted: int) -> list[str]:
    """The numbers of so many new orders of two lines and one payment; nothing has been shipped."""
    numbers = [f"S-{n}" for n in islice(_numbers, wanted)]
    for i in range(0, wanted, CHUNK):
        _store(numbers[i : i + CHUNK])
    settle()
    return numbers


@transaction.atomic
def _store(numbers: Sequence[str]) -> None:
    order_ids, payment_ids = (records.new_ids(model, len(numbers)) for model in (Order, Payment))
    channel_id = Channel.objects.get(is_default=True).pk
    total, now = sum(PRICES), clock.now()
    dated = {"ordered_at": now, "created_at": now, "updated_at": now}
    about = {"channel_id": channel_id, "currency": "EUR", "total_minor": total}
    money = {"allocated_minor": total, "captured_at": now, "account": "sandbox"}
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
