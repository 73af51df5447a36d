"""A gateway in memory that the model test asks, and the ledger in ten lines that the real one is held against."""

import random
from collections import defaultdict
from dataclasses import dataclass, field, replace
from itertools import count
from threading import Lock

from workers.ports import Accepted, Found, GatewayEvent, GatewayFact, GatewayStatus, Movement, NotSent, Refused, Reply
from workers.ports import Unknown as NoAnswer

PENDING, FAILED, SUCCEEDED, REVERSED = GatewayStatus
SENDS = ("succeed", "succeed", "pending", "decline", "lost answer", "lost call", "not sent")


@dataclass
class Till:
    """`refunds` are facts by the gateway's id; `lost` and `handed` are what banks and people paid, by payment."""

    dice: random.Random
    is_calm: bool = False
    refunds: dict[str, GatewayFact] = field(default_factory=dict)
    disputes: dict[str, tuple[str, int, str]] = field(default_factory=dict)
    handed: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))

    def __post_init__(self) -> None:
        self._ids, self._events, self._lock = count(1), count(1), Lock()

    # The reference ledger.
    def gone(self, payment: str) -> int:
        moved = [
            f.amount_minor for f in self.refunds.values() if (f.payment_reference, f.status) == (payment, SUCCEEDED)
        ]
        lost = [amount for of, amount, status in self.disputes.values() if (of, status) == (payment, "lost")]
        return sum(moved) + sum(lost) + self.handed[payment]

    def disputed(self, payment: str) -> int:
        return sum(amount for of, amount, status in self.disputes.values() if (of, status) == (payment, "opened"))

    # The gateway.
    def refund(self, asked: Movement) -> Reply:
        """The same number is never paid twice; what failed may be tried again."""
        with self._lock:
            held = [f for f in self.refunds.values() if f.number == asked.number and f.status is not FAILED]
            if held:
                return Accepted(replace(held[0], payment_reference=""))
            how = "succeed" if self.is_calm else self.dice.choice(SENDS)
            if how == "decline":
                return Refused("declined", "by the bank")
            if how == "not sent":
                return NotSent("connection refused")
            if how == "lost call":
                return NoAnswer("timed out")
            fact = self._make(asked.number, asked.payment_reference, asked.amount_minor, how == "pending")
            return NoAnswer("timed out") if how == "lost answer" else Accepted(fact)

    def look_up(self, number: str) -> Found:
        with self._lock:
            return Found(tuple(f for f in self.refunds.values() if number and f.number == number))

    def by_hand(self, payment: str, amount_minor: int, number: str = "") -> None:
        with self._lock:
            self._make(number, payment, amount_minor, self.dice.random() < 0.3)

    def settle(self, *, all_of_them: bool) -> None:
        """What is under way ends; some of what had ended is taken back, or has succeeded after all."""
        with self._lock:
            for key, fact in self.refunds.items():
                if fact.status is PENDING and (all_of_them or self.dice.random() < 0.5):
                    self.refunds[key] = replace(fact, status=self.dice.choice((SUCCEEDED, FAILED)))
                elif not all_of_them and self.dice.random() < 0.1:
                    after = {FAILED: SUCCEEDED, SUCCEEDED: REVERSED}.get(fact.status, fact.status)
                    self.refunds[key] = replace(fact, status=after)

    def facts(self) -> list[GatewayFact]:
        with self._lock:
            return list(self.refunds.values())

    def dispute(self, reference: str) -> GatewayEvent:
        payment, amount_minor, status = self.disputes[reference]
        kind, event_id = f"dispute.{status}", f"dispute-{next(self._events)}"
        return GatewayEvent(event_id, kind, payment, "", reference, None, amount_minor, "EUR", None)

    def _make(self, number: str, payment: str, amount_minor: int, is_pending: bool) -> GatewayFact:
        status = PENDING if is_pending else SUCCEEDED
        fact = GatewayFact(f"gw-{next(self._ids)}", number, status, amount_minor, "EUR", payment_reference=payment)
        self.refunds[fact.gateway_refund_id] = fact
        return fact
