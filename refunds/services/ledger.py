"""The money of some locked orders: movements, and the ledger entries that follow every change of them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

from orders.models import PaymentShare
from orders.roles import SYSTEM
from orders.states import verb_to
from refunds import records
from refunds.calls import CallPhase
from refunds.models import GatewayRefund, LedgerEntry, Refund
from refunds.models.ledger import LEDGER_COLUMNS
from refunds.movements import FUNDS_TAKEN, ledger_kinds
from refunds.services.rows import new_movement
from refunds.services.trail import Trail
from refunds.states import MOVEMENT_ARROWS, MovementState


class Ledger(Trail):
    """`lost`: refunds whose money a fact has taken; they are to be looked at."""

    def __init__(self, order_ids: Collection[int], *, now: datetime) -> None:
        super().__init__(order_ids, now=now)
        self.lost: set[int] = set()
        self._excess_before: dict[int, int] = {}
        self._is_taking = False

    def move(self, movement: GatewayRefund, target: MovementState) -> None:
        """Bring a movement into a state; the ledger and an event follow. Nothing when it is there already."""
        before = MovementState(movement.state)
        if target is MovementState.REVERSED and before not in (target, MovementState.SUCCEEDED):
            self.move(movement, MovementState.SUCCEEDED)
            before = MovementState.SUCCEEDED
        verb = verb_to(MOVEMENT_ARROWS, source=before, target=target)
        if verb is None:
            return
        getattr(movement, verb)()
        self.changes.movements[movement.id] = movement
        self._book_all(self._entries_of_move(movement, before, target))
        if target is MovementState.PENDING:
            movement.accepted_at = movement.accepted_at or self.now
        elif target is not MovementState.INTENDED:
            movement.settled_at = self.now
        self.record(self.refunds[movement.refund_id], f"gateway_refund.{target}", _facts_of(movement), SYSTEM)

    def add_movement(self, refund: Refund, share: PaymentShare, amount_minor: int, target: str = "") -> GatewayRefund:
        """A further movement of a refund that has been entered already, reserved."""
        movements = self.movements[refund.id]
        new_id = self.new_id(GatewayRefund)
        movement = new_movement(refund, len(movements) + 1, new_id=new_id, share_id=share.id, amount_minor=amount_minor)
        movement.target = target
        movements.append(movement)
        self.changes.new_movements.append(movement)
        self.book(self._entry_of(movement, "reserve"))
        return movement

    def book(self, entry: LedgerEntry) -> None:
        """Book an entry and its columns. A fact is never refused: what it takes beyond what is free it takes from
        refunds that have sent nothing yet, the newest first; the rest is excess, and a case.

        Excess ends, by an entry of its own, as soon as something gives way to it.
        """
        self._book_all([entry])

    def spread_fact(self, amount_minor: int, shares: Sequence[PaymentShare]) -> list[tuple[PaymentShare, int]]:
        """What a fact about a payment takes of each share, which are in order of age: what is free, then what refunds
        have reserved that have sent nothing yet; the oldest has the rest."""
        taken = dict.fromkeys((share.id for share in shares), 0)
        for has_minor in (self._free_on, self._unsent_on):
            for share in shares:
                left = amount_minor - sum(taken.values())
                taken[share.id] += min(left, has_minor(share))
        taken[shares[0].id] += amount_minor - sum(taken.values())
        return [(share, taken[share.id]) for share in shares if taken[share.id]]

    def _free_on(self, share: PaymentShare) -> int:
        return max(0, share.room_minor)

    def _unsent_on(self, share: PaymentShare) -> int:
        return sum(m.amount_minor - m.disputed_minor for m in self._unsent(share))

    def _book_all(self, entries: Sequence[LedgerEntry]) -> None:
        """Several of one share, which are one fact."""
        for entry in entries:
            self._put(entry)
        if entries and not self._is_taking:
            self._balance(entries[-1])

    def _put(self, entry: LedgerEntry) -> None:
        share = self.shares[entry.share_id]
        for column, sign in LEDGER_COLUMNS[entry.kind]:
            setattr(share, column, getattr(share, column) + sign * entry.amount_minor)
        self.changes.entries.append(entry)
        self.changes.shares[share.id] = share
        self.changes.orders[share.order_id] = self.orders[share.order_id]

    def _balance(self, cause: LedgerEntry) -> None:
        share = self.shares[cause.share_id]
        if share.free_minor < 0:
            self._take_reservations(share)
        if share.room_minor < 0:
            self._book_excess(cause, "excess", -share.room_minor)
        elif ended := min(share.room_minor, share.excess_minor):
            self._book_excess(cause, "excess_ended", ended)

    def _take_reservations(self, share: PaymentShare) -> None:
        """Until nothing is missing. What has been sent, or may have been, is not taken."""
        self._is_taking = True
        for movement in self._unsent(share):
            if share.free_minor < 0:
                self._lose(movement)
        self._is_taking = False

    def _unsent(self, share: PaymentShare) -> list[GatewayRefund]:
        """The reservations on the share that nothing has come of yet, the newest refund's first."""
        self.open_cases([r.id for r in self.refunds_of[share.order_id] if r.id not in self.movements])
        of_order = (m for refund in self.refunds_of[share.order_id] for m in self.movements[refund.id])
        unsent = [m for m in of_order if m.share_id == share.id and _has_not_left(m)]
        return sorted(unsent, key=attrgetter("refund_id", "id"), reverse=True)

    def _lose(self, movement: GatewayRefund) -> None:
        refund = self.refunds[movement.refund_id]
        movement.failure_code, movement.retry_at = FUNDS_TAKEN, None
        self.move(movement, MovementState.FAILED)
        self.set_clock(refund, self.now)
        self.lost.add(refund.id)

    def entry(
        self, share: PaymentShare, kind: str, amount_minor: int, *, movement_id: int | None, reference: str = ""
    ) -> LedgerEntry:
        return records.new(
            LedgerEntry,
            share_id=share.id,
            gateway_refund_id=movement_id,
            kind=kind,
            amount_minor=amount_minor,
            reference=reference,
            occurred_at=self.now,
            recorded_at=self.now,
        )

    def _entries_of_move(
        self, movement: GatewayRefund, before: MovementState, after: MovementState
    ) -> list[LedgerEntry]:
        kinds = ledger_kinds(before, after, paid_as="credit" if movement.target else "refund")
        return [self._entry_of(movement, kind) for kind in kinds]

    def _entry_of(self, movement: GatewayRefund, kind: str) -> LedgerEntry:
        return self.entry(self.shares[movement.share_id], kind, movement.amount_minor, movement_id=movement.id)

    def _book_excess(self, cause: LedgerEntry, kind: str, amount_minor: int) -> None:
        share = self.shares[cause.share_id]
        self._excess_before.setdefault(share.id, share.excess_minor)
        self._put(self.entry(share, kind, amount_minor, movement_id=cause.gateway_refund_id))


def _has_not_left(movement: GatewayRefund) -> bool:
    is_unsent = movement.state == MovementState.INTENDED and movement.call == CallPhase.IDLE
    return is_unsent and movement.amount_minor > movement.disputed_minor


def _facts_of(movement: GatewayRefund) -> dict[str, Any]:
    return {
        "number": movement.number,
        "amount_minor": movement.amount_minor,
        "currency": movement.currency,
        "gateway_refund_id": movement.gateway_refund_id,
        "failure_code": movement.failure_code,
        "attempt": movement.attempt,
    }
