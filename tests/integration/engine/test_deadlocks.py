"""Every pair of writers against each other on three orders: no deadlock, and every book right afterwards."""

import random
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import combinations_with_replacement

import pytest
from django.db import OperationalError, connection, transaction

from orders.errors import Problem
from orders.locks import LockNotHad
from orders.models import Channel, Order, Payment
from orders.roles import Actor, Role
from orders.services.carrier import CarrierFact, report_fact
from orders.services.facts import LineFact, OrderFacts, PaymentFact
from orders.services.put_order import put_order
from orders.services.shipments import ShipmentFacts, add_shipment
from orders.states import ShipmentState
from refunds.models import GatewayRefund, Refund
from refunds.services.acts import Target, cancel_refund, close, retry
from refunds.services.reconcile import Outbound
from refunds.services.requests import request_refunds
from refunds.services.setbacks import mark_stalled, postpone
from refunds.services.wakes import order_changed
from tests.consistency import violations
from tests.factories import SHOP, wish
from tests.integration.engine.conftest import Engine, accepted
from tests.integration.engine.money import ANSWERED_500, DECLINED, TIMED_OUT, webhook
from tests.integration.engine.returns import pass_time
from tests.integration.engine.threads import together
from tests.sizes import size
from workers.ports import Found

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sized]

ORDERS = 3
UNITS = 12
ROUNDS = size(40)
THREADS = 2
FINANCE = Actor("principal:4", Role.FINANCE)
DEADLOCK = "40P01"


class Writer:
    """One of everybody who writes orders and refunds. Each act is one transaction; a refusal is an answer."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.channel = Channel.objects.get(is_default=True).pk
        self.engine = Engine()
        self.done = 0

    def ask(self) -> None:
        """Several orders in one transaction, in any order."""
        orders = self.chance.sample(list(Order.objects.all()), ORDERS)
        request_refunds([wish(order, ("A", 1)) for order in orders])

    def cancel(self) -> None:
        cancel_refund(Target(self._refund().number, [self.channel]), actor=SHOP)

    def reconcile(self) -> None:
        """T1 and T2 of all of them, with a gateway in any mood; some passes wait for every lock."""
        done = self.engine.begin(*Refund.objects.all(), wait_ms=self.chance.choice([None, 2000]))
        for out in done.calls:
            if isinstance(out, Outbound):
                self.engine.answer(out, self._mood(out))

    def one_by_one(self) -> None:
        for out in self.engine.begin(self._refund(), wait_ms=300).calls:
            if isinstance(out, Outbound):
                self.engine.answer(out, self._mood(out))

    def put(self) -> None:
        """The payment is shared by all the orders, so that they meet at its row too."""
        order, payment = self._order(), Payment.objects.get(reference="shared")
        line = LineFact("A", "Thing", UNITS + self.chance.randint(0, 3), unit_price_minor=1000)
        paid = PaymentFact("sandbox", "shared", UNITS * 1000, shared_total_minor=payment.total_minor)
        facts = OrderFacts(order.number, "EUR", (line,), (paid,))
        with transaction.atomic():
            order_changed([put_order(facts, channel_id=self.channel, actor=SHOP).order.pk])

    def ship(self) -> None:
        facts = ShipmentFacts(self._order().number, None, "c", "T", left=self.chance.random() < 0.5)
        with transaction.atomic():
            add_shipment(facts, channel_id=self.channel, actor=SHOP)
            order_changed([self._order().pk])

    def report(self) -> None:
        order = self._order()
        if shipment := order.shipments.order_by("?").first():
            fact = CarrierFact(
                order.number, shipment.pk, self.chance.choice([ShipmentState.DELIVERED, ShipmentState.LOST])
            )
            with transaction.atomic():
                report_fact(fact, channel_id=self.channel, actor=SHOP)
                order_changed([order.pk])

    def tell(self) -> None:
        webhook(self._refund(), self.chance.choice(["succeeded", "failed", "reversed"]), "a")

    def decide_failed(self) -> None:
        failed = list(Refund.objects.filter(state="failed"))
        refund = self.chance.choice(failed) if failed else self._refund()
        target = Target(refund.number, [self.channel])
        if self.chance.random() < 0.5:
            retry(target, actor=FINANCE)
        else:
            close(target, note="by hand", actor=FINANCE)

    def set_back(self) -> None:
        postpone(self._refund().pk, failures=1)
        mark_stalled(self._refund().pk)

    def _mood(self, out: Outbound):
        if out.asks:
            return Found()
        return self.chance.choice([accepted(out.movement), DECLINED, TIMED_OUT, ANSWERED_500])

    def _order(self) -> Order:
        return self.chance.choice(list(Order.objects.all()))

    def _refund(self) -> Refund:
        return self.chance.choice(list(Refund.objects.all()))


WRITERS = [
    "ask", "cancel", "reconcile", "one_by_one", "put", "ship", "report", "tell", "decide_failed", "set_back",
]  # fmt: skip


@pytest.fixture
def three_orders() -> None:
    """Each with a refund that has failed."""
    for n in range(ORDERS):
        line = LineFact("A", "Thing", UNITS, unit_price_minor=1000)
        paid = PaymentFact("sandbox", "shared", UNITS * 1000, shared_total_minor=ORDERS * UNITS * 1000)
        with transaction.atomic():
            put_order(OrderFacts(f"O-{n}", "EUR", (line,), (paid,)), channel_id=_channel(), actor=SHOP)
    request_refunds([wish(order, ("A", 1)) for order in Order.objects.all()])
    Engine().run(*Refund.objects.all(), reply=lambda movement: DECLINED)


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("three_orders")
def test_no_pair_of_writers_ever_deadlocks() -> None:
    done: Counter[str] = Counter()
    for seed, pair in enumerate(combinations_with_replacement(WRITERS, 2)):
        writers = [Writer(seed * 10 + n) for n in range(2 * THREADS)]
        deadlocks = together(*map(_again_and_again, writers, pair * THREADS))
        assert deadlocks == [[]] * len(writers), pair
        for writer, name in zip(writers, pair * THREADS, strict=True):
            done[name] += writer.done
    assert sorted(done) == sorted(WRITERS) and all(done.values()), "a writer that is always refused proves nothing"
    assert violations(_raw()) == []
    _come_to_rest()
    assert violations(_raw()) == []


def _again_and_again(writer: Writer, name: str) -> Callable[[], list[str]]:
    def run() -> list[str]:
        deadlocks = []
        for _ in range(ROUNDS):
            try:
                getattr(writer, name)()
                writer.done += 1
            except (Problem, LockNotHad):
                continue
            except OperationalError as error:
                assert getattr(error.__cause__, "sqlstate", None) == DEADLOCK, error
                deadlocks.append(str(error))
        return deadlocks

    return run


def _come_to_rest() -> None:
    """A kind gateway answers whatever is still open, or was lost."""
    engine = Engine()
    for _ in range(10):
        pass_time(timedelta(hours=1))
        for out in engine.begin(*Refund.objects.all()).calls:
            if isinstance(out, Outbound):
                engine.answer(out, Found() if out.asks else accepted(out.movement))
    assert not GatewayRefund.objects.exclude(call="idle").exists()


def _channel() -> int:
    return Channel.objects.get(is_default=True).pk


def _raw():
    connection.ensure_connection()
    return connection.connection
