"""Store credit for tests: the account configured, and the real adapter answering for it."""

from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from orders.models import Order
from refunds.models import GatewayRefund, Refund, StoreCreditEntry
from refunds.selectors.store_credit import balances, holder_of
from tests.integration.engine.conftest import Engine, accepted
from workers.adapters.store_credit import StoreCreditGateway
from workers.ports import Budget, Found, LookUp, Movement, Reply

CREDIT = "store-credit"
ACCOUNTS: dict[str, dict[str, Any]] = {CREDIT: {"adapter": "store_credit"}, "sandbox": {"adapter": "http"}}


def budget(seconds: float = 10) -> Budget:
    return Budget(seconds, monotonic=monotonic)


@dataclass
class Crediting:
    """Runs refunds to rest: store credit by its adapter, all else accepted at once. `sent` is what each account got."""

    engine: Engine
    credit: StoreCreditGateway = field(default_factory=StoreCreditGateway)
    sent: list[tuple[str, Movement]] = field(default_factory=list)

    def run(self, *refunds: Refund) -> None:
        for _ in range(10):
            calls = self.engine.begin(*refunds).calls
            if not calls:
                return
            for out in calls:
                self.engine.answer(out, self._answer(out.account, out.movement, asks=out.asks))
        raise AssertionError("the refunds do not come to rest")

    def _answer(self, account: str, movement: Movement, *, asks: bool) -> Reply | LookUp:
        if asks:
            is_credit = account == CREDIT
            return self.credit.look_up("", movement.number, budget=budget()) if is_credit else Found()
        self.sent.append((account, movement))
        return self.credit.refund(movement, budget=budget()) if account == CREDIT else accepted(movement)


def balance(order: Order) -> int:
    """What the customer of the order has, in minor units."""
    holder = holder_of(order)
    assert holder
    return sum(account.balance_minor for account in balances(holder))


def entries() -> list[tuple[str, int]]:
    return list(StoreCreditEntry.objects.order_by("id").values_list("kind", "amount_minor"))


def movements(refund: Refund) -> list[tuple[str, str, int]]:
    """Where each went: its state, the account it goes to instead of back, the amount."""
    found = GatewayRefund.objects.filter(refund_id=refund.pk).order_by("number")
    return [(m.state, m.target, m.amount_minor) for m in found]
