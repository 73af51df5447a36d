"""An engine in the test's hands: T1, calls and T2 as separate steps, with the gateway's answers given by the test."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from django.db import connection

from refunds.models import GatewayRefund, Refund
from refunds.services import reconcile
from refunds.services.answers import Told
from refunds.services.reconcile import Claims, Outbound, ParcelTold, Pass
from tests.consistency import violations
from workers.ports import Accepted, Capabilities, Found, GatewayFact, GatewayStatus, LookUp, Movement, Reply


def accepted(movement: Movement, status: str = "succeeded", gateway_refund_id: str = "") -> Accepted:
    return Accepted(fact(movement, status, gateway_refund_id))


def fact(movement: Movement, status: str = "succeeded", gateway_refund_id: str = "") -> GatewayFact:
    return GatewayFact(
        gateway_refund_id=gateway_refund_id or f"gw-{movement.number}",
        number=movement.number,
        status=GatewayStatus(status),
        amount_minor=movement.amount_minor,
        currency=movement.currency,
    )


@dataclass
class Engine:
    """`capabilities` are those of every account; `room` is how many calls may be claimed."""

    capabilities: Capabilities = field(default_factory=Capabilities)
    room: int = 1000

    def begin(self, *refunds: Refund, wait_ms: int | None = None) -> Pass:
        return reconcile.begin([r.id for r in refunds], self._claims(), can=self._can, wait_ms=wait_ms)

    def answer(self, out: Outbound, answer: Reply | LookUp) -> Pass:
        told = Told(out.refund_id, out.movement.number, out.of, answer, asked=out.asks)
        return reconcile.record([told], can=self._can)

    def record(self, told: Sequence[Told | ParcelTold], *, wait_ms: int | None = None) -> Pass:
        return reconcile.record(told, can=self._can, wait_ms=wait_ms)

    def run(self, *refunds: Refund, reply: Callable[[Movement], Reply] = accepted) -> None:
        """Passes until nothing is to be called any more; every look-up finds nothing."""
        for _ in range(10):
            calls = self.begin(*refunds).calls
            if not calls:
                return
            for out in calls:
                self.answer(out, Found() if out.asks else reply(out.movement))
        raise AssertionError("the refunds do not come to rest")

    def _can(self, account: str) -> Capabilities:
        return self.capabilities

    def _claims(self) -> Claims:
        left = [self.room]

        def take(account: str) -> bool:
            left[0] -= 1
            return left[0] >= 0

        return Claims(take=take, wait=lambda account: 0.2)


@pytest.fixture
def engine() -> Engine:
    return Engine()


def movement_of(refund: Refund) -> GatewayRefund:
    return GatewayRefund.objects.get(refund=refund)


@pytest.fixture
def right_books() -> Iterator[None]:
    """Whatever the test did, every book agrees with every other afterwards."""
    yield
    connection.ensure_connection()
    assert violations(connection.connection) == []
