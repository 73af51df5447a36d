"""What tests of the way back share: parcels, a courier that answers as he is told, and time that passes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import connection, transaction

from orders import clock
from orders.models import Channel, Order, PaymentShare, Shipment
from orders.roles import Actor, Role
from orders.services.shipments import ShipmentFacts, Units, add_shipment
from refunds.models import LedgerEntry, Refund
from refunds.parcels import ParcelAct
from refunds.policy import PolicySpec
from refunds.selectors.due import due_page
from refunds.services.acts import Target
from refunds.services.answers import Told
from refunds.services.parcel_calls import ParcelAnswer
from refunds.services.reconcile import Outbound, ParcelOut, ParcelTold
from refunds.services.wakes import order_changed
from tests.factories import add_payment, make_order
from tests.integration.engine.conftest import Engine, accepted
from tests.policies import put_in_force
from workers.ports import (
    Booked,
    Cancelled,
    Found,
    Intercepting,
    Movement,
    ParcelFact,
    ParcelsFound,
    ParcelStatus,
    Reply,
    Slot,
)

SHOP = Actor("principal:9", Role.SHOP)
AGENT = Actor("principal:2", Role.SUPPORT)
WAREHOUSE = Actor("principal:3", Role.WAREHOUSE)
FINANCE = Actor("principal:4", Role.FINANCE)
#: Parcels are tracked by the hour; tests that live for weeks look less often.
STEP = timedelta(hours=12)
CUSTOMER = Actor("customer:1", Role.CUSTOMER)


@transaction.atomic
def leave(order: Order, *units: tuple[str, int], left: bool = True) -> Shipment:
    """The shop's word that these units left, held or not."""
    facts = ShipmentFacts(order.number, [Units(*u) for u in units], "c", f"T{order.pk}", left=left)
    shipped = add_shipment(facts, channel_id=order.channel_id, actor=SHOP)
    order_changed([order.pk])
    return shipped.shipment


def in_force(**rules: Any) -> None:
    """What is asked for from now on is pinned to a policy with these rules."""
    put_in_force(**PolicySpec(**rules).to_json())


def target(refund: Refund) -> Target:
    return Target(refund.number, [Channel.objects.get(is_default=True).pk])


def fresh(refund: Refund) -> Refund:
    return Refund.objects.get(pk=refund.pk)


def state(refund: Refund) -> str:
    return fresh(refund).state


def fact(number: str, waybill: str, status: ParcelStatus, slot: Slot | None = None) -> ParcelFact:
    return ParcelFact(number, waybill, status, clock.now(), slot)


def booked(out: ParcelOut, waybill: str = "W1", *, in_days: float = 1) -> Booked:
    start = clock.now() + timedelta(days=in_days)
    return Booked(fact(out.subject, waybill, ParcelStatus.BOOKED, Slot(start, start + timedelta(hours=4))))


def only_call(engine: Engine, refund: Refund, act: ParcelAct) -> ParcelOut:
    """The one call the engine makes next about the refund."""
    for _ in range(3):
        calls = engine.begin(refund).calls
        if calls:
            [out] = calls
            assert isinstance(out, ParcelOut) and out.act is act, out
            return out
    raise AssertionError(f"no {act}")


def pass_time(by: timedelta) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO refundry_clock_offset(shift) VALUES (%s) ON CONFLICT (only_row)"
            " DO UPDATE SET shift = refundry_clock_offset.shift + EXCLUDED.shift",
            [by],
        )


@dataclass
class Courier:
    """Answers every call; by default he books, calls off, stops parcels, and has nothing to tell of any."""

    answers: dict[ParcelAct, Callable[[ParcelOut], ParcelAnswer]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    booked: int = 0

    def answer(self, out: ParcelOut) -> ParcelAnswer:
        self.asked.append(str(out.act))
        if out.act in self.answers:
            return self.answers[out.act](out)
        return getattr(self, f"_{out.act}")(out)

    def _book(self, out: ParcelOut) -> ParcelAnswer:
        self.booked += 1
        return booked(out, f"W-{out.subject}-{self.booked}")

    def _cancel(self, out: ParcelOut) -> ParcelAnswer:
        return Cancelled(fact(out.subject, out.waybill, ParcelStatus.CANCELLED))

    def _find(self, out: ParcelOut) -> ParcelAnswer:
        return ParcelsFound()

    def _track(self, out: ParcelOut) -> ParcelAnswer:
        return ParcelsFound()

    def _intercept(self, out: ParcelOut) -> ParcelAnswer:
        return Intercepting(fact("", out.waybill, ParcelStatus.IN_TRANSIT))


def work(engine: Engine, courier: Courier, *refunds: Refund, reply: Callable[[Movement], Reply] = accepted) -> None:
    """Passes until nothing is to be called now."""
    for _ in range(20):
        calls = engine.begin(*refunds).calls
        engine.record([_answered(out, courier, reply) for out in calls], wait_ms=10_000)
        if not calls and not any(r.new_due for r in map(_Due, refunds)):
            return
    raise AssertionError(f"does not come to rest: {courier.asked[-10:]}")


def live(engine: Engine, courier: Courier, refund: Refund, *, until: Sequence[str], limit: timedelta) -> None:
    """Nobody wakes anybody: the sweep's page alone, at due times half a day apart, till one of these states."""
    ends = clock.now() + limit
    while state(refund) not in until:
        at = fresh(refund).next_reconcile_at
        assert at is not None and at <= ends, f"still {state(refund)}, next look {at}"
        pass_time(max(at - clock.now(), STEP))
        ids, _ = due_page("refunds_refund", None, 100)
        assert refund.pk in ids
        work(engine, courier, refund)


class _Due:
    def __init__(self, refund: Refund) -> None:
        at = fresh(refund).next_reconcile_at
        self.new_due = at is not None and at <= clock.now()


def _answered(out: Outbound | ParcelOut, courier: Courier, reply: Callable[[Movement], Reply]) -> Told | ParcelTold:
    if isinstance(out, ParcelOut):
        return ParcelTold(out, courier.answer(out))
    return Told(out.refund_id, out.movement.number, out.of, Found() if out.asks else reply(out.movement), out.asks)


def bought(*prices: int, captured: Sequence[int] = (), **fields: Any) -> Order:
    """A paid order whose ledger has its captures; `captured`: by several payments of so much."""
    order = make_order(*prices, **fields)
    if captured:
        PaymentShare.objects.filter(order=order).delete()
    for amount_minor in captured:
        add_payment(order, amount_minor)
    for share in PaymentShare.objects.filter(order=order, captured_minor__gt=0):
        times = {"occurred_at": order.created_at, "recorded_at": order.created_at}
        LedgerEntry.objects.create(share=share, kind="capture", amount_minor=share.captured_minor, **times)
    return order
