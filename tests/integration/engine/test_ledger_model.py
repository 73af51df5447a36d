"""The real services on PostgreSQL, from several threads, against a reference ledger of ten lines (`till.Till`): refunds
asked for and sent, answers lost, orphans before, during and after ours, lines and captures changed by the shop,
disputes, failures that turn out to have succeeded, and people who retry, close and pay by hand. In the end every book
agrees with the gateway's, nothing is over, and everything has ended.
"""

import random
from collections.abc import Callable
from datetime import timedelta
from itertools import count

import pytest
from django.db import connection, transaction

from orders.errors import Problem
from orders.models import PaymentShare
from orders.services.facts import LineFact, OrderFacts, PaymentFact
from orders.services.put_order import put_order
from refunds.models import GatewayRefund, Orphan, Refund
from refunds.services import orphans
from refunds.services.acts import External, close, record_external, retry
from refunds.services.inbox import store_events
from refunds.services.orphan_reports import note_refunds
from refunds.services.requests import request_refunds
from refunds.states import FINAL_STATES
from tests.consistency import violations
from tests.factories import SHOP, wish
from tests.integration.engine.conftest import Engine
from tests.integration.engine.returns import FINANCE, bought, pass_time, target
from tests.integration.engine.threads import together
from tests.integration.engine.till import Till
from tests.integration.orphans.world import share_the_payment
from tests.sizes import SOAK
from workers.ports import Capabilities

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("right_books")]
A_WHILE = timedelta(hours=1)
_proofs = count(1)


class World:
    """Five orders, two of them on one payment; the shop changes only what is not shared."""

    def __init__(self, seed: int) -> None:
        self.dice, self.till, self.engine = random.Random(seed), Till(random.Random(-seed)), Engine()
        self.orders = [bought(300, 200, quantity=3) for _ in range(5)]
        share_the_payment(*self.orders[3:])
        self.bought_more = dict.fromkeys([order.pk for order in self.orders[:3]], 0)

    def shares(self) -> list[PaymentShare]:
        return list(PaymentShare.objects.filter(order__in=self.orders).select_related("payment").order_by("id"))

    def payment(self) -> str:
        return self.dice.choice(self.shares()).payment.reference

    def ask(self) -> None:
        for _ in range(3):
            request_refunds([wish(self.dice.choice(self.orders), (self.dice.choice("AB"), self.dice.randint(1, 2)))])

    def work(self) -> None:
        """A pass of a pump over everything, and one over what nobody here asked for."""
        refunds = list(Refund.objects.order_by("?" if not self.till.is_calm else "id"))
        for out in self.engine.begin(*refunds).calls:
            asked = out.movement
            self.engine.answer(out, self.till.look_up(asked.number) if out.asks else self.till.refund(asked))
        due = list(Orphan.objects.exclude(next_reconcile_at=None).values_list("pk", flat=True))
        looked = orphans.begin(due, lambda slot: True, can=lambda account: Capabilities())
        for call in looked.calls:
            held = [fact for fact in self.till.facts() if fact.gateway_refund_id == call.reference]
            told = orphans.OrphanTold(call, self.till.look_up("").__class__(tuple(held)))
            orphans.record([told], can=lambda account: Capabilities(), wait_ms=1000)

    def others(self) -> None:
        """Somebody pays back by hand, or under a number of ours; the gateway's list tells of it."""
        known = GatewayRefund.objects.order_by("?").first()
        number = known.number if known and self.dice.random() < 0.2 else ""
        payment = known.share.payment.reference if known and number else self.payment()
        amount_minor = known.amount_minor if known and number else self.dice.randint(1, 400)
        self.till.by_hand(payment, amount_minor, number)
        note_refunds("sandbox", self.till.facts())

    def bank(self) -> None:
        if self.dice.random() < 0.5:
            self.till.disputes[f"dp-{len(self.till.disputes)}"] = (self.payment(), self.dice.randint(1, 900), "opened")
        elif self.till.disputes:
            self._decide(self.dice.choice(list(self.till.disputes)))
        store_events("sandbox", [self.till.dispute(reference) for reference in self.till.disputes])

    def people(self) -> None:
        for refund in Refund.objects.filter(state="failed"):
            act = self.dice.choice((self._pay_by_hand, lambda r: retry(target(r), actor=FINANCE), self._close))
            attempt(lambda act=act, refund=refund: act(refund))  # type: ignore[misc]

    def shop(self) -> None:
        """One more unit of a thing, paid for."""
        order = self.dice.choice(self.orders[:3])
        n = self.bought_more[order.pk] + 1
        lines = (
            LineFact("A", "Thing A", 3 + n, unit_price_minor=300),
            LineFact("B", "Thing B", 3, unit_price_minor=200),
        )
        [share] = [share for share in self.shares() if share.order_id == order.pk]
        paid = PaymentFact("sandbox", share.payment.reference, 1500 + 300 * n)
        with transaction.atomic():
            put_order(OrderFacts(order.number, "EUR", lines, (paid,)), channel_id=order.channel_id, actor=SHOP)
        self.bought_more[order.pk] = n

    def come_to_rest(self) -> None:
        """Nobody asks any more, gateways answer, banks decide, people close what failed."""
        self.till.is_calm = True
        for reference in self.till.disputes:
            self._decide(reference)
        store_events("sandbox", [self.till.dispute(reference) for reference in self.till.disputes])
        for _ in range(12):
            self.till.settle(all_of_them=True)
            note_refunds("sandbox", self.till.facts())
            pass_time(A_WHILE)
            self.work()
            for refund in Refund.objects.filter(state="failed"):
                attempt(lambda refund=refund: self._close(refund))  # type: ignore[misc]

    def _decide(self, reference: str) -> None:
        payment, amount_minor, status = self.till.disputes[reference]
        decided = self.dice.choice(("won", "lost")) if status == "opened" else status
        self.till.disputes[reference] = (payment, amount_minor, decided)

    def _pay_by_hand(self, refund: Refund) -> None:
        movement = GatewayRefund.objects.filter(refund=refund, state="failed").select_related("share__payment")[0]
        paid, payment = self.dice.randint(1, movement.amount_minor), movement.share.payment.reference
        record_external(target(refund), External(paid, f"T-{next(_proofs)}", payment=payment), actor=FINANCE)
        self.till.handed[payment] += paid

    def _close(self, refund: Refund) -> None:
        close(target(refund), note="Settled otherwise.", actor=FINANCE)


def attempt(act: Callable[[], object]) -> None:
    try:
        act()
    except (Problem, IndexError):
        return


def wrongs(world: World) -> list[str]:
    """Where the books and the reference differ, and what has not ended."""
    found, shares = [], world.shares()
    for payment in {share.payment.reference for share in shares}:
        of_it = [share for share in shares if share.payment.reference == payment]
        books = [sum(getattr(s, f"{name}_minor") for s in of_it) for name in ("refunded", "disputed", "reserved")]
        if books != [world.till.gone(payment), world.till.disputed(payment), 0]:
            found.append(f"{payment}: {books}, and the till has {world.till.gone(payment)}")
    over = [s for s in shares if s.excess_minor != max(0, s.refunded_minor + s.disputed_minor - s.captured_minor)]
    found += [f"{share.payment}: excess {share.excess_minor} is not what is over" for share in over]
    return found + [f"{r.number} is {r.state}" for r in Refund.objects.exclude(state__in=sorted(FINAL_STATES))]


@pytest.mark.parametrize("seed", range(1, 61) if SOAK else (1, 2))
def test_whatever_happens_at_once_every_book_is_right_and_everything_ends(seed: int) -> None:
    world = World(seed)
    for _ in range(12 if SOAK else 4):
        together(world.ask, world.work, world.work, world.others, world.bank, world.people, world.shop)
        assert violations(connection.connection) == []
        world.till.settle(all_of_them=False)
        pass_time(timedelta(seconds=world.dice.choice((1, 30, 3600))))
    world.come_to_rest()
    assert wrongs(world) == []
