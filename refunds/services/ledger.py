"""The money of some locked orders: movements, and the ledger entries that follow every change of them."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from typing import Any

from django.db.models import Count

from orders.models import PaymentShare
from orders.roles import SYSTEM
from orders.states import verb_to
from refunds import records
from refunds.calls import CallPhase
from refunds.destinations import BACK, Destination
from refunds.models import GatewayRefund, LedgerEntry, Refund
from refunds.models.ledger import LEDGER_COLUMNS
from refunds.movements import FUNDS_TAKEN, ledger_kinds
from refunds.services.rows import new_movement
from refunds.services.trail import Trail
from refunds.states import MOVEMENT_ARROWS, MovementKind, MovementState


class Ledger(Trail):
    """`concerned`: refunds whose money a fact has changed; they are to be looked at."""

    def __init__(self, order_ids: Collection[int], *, now: datetime) -> None:
        super().__init__(order_ids, now=now)
        self.concerned: set[int] = set()
        self._excess_before: dict[int, int] = {}
        self._is_taking = False

    def move(self, movement: GatewayRefund, target: MovementState, *, proof: str = "") -> None:
        """Bring a movement into a state; the ledger and an event follow. Nothing when it is there already. `proof`:
        where the books find what was paid outside."""
        before = MovementState(movement.state)
        if target is MovementState.REVERSED and before not in (target, MovementState.SUCCEEDED):
            self.move(movement, MovementState.SUCCEEDED)
            before = MovementState.SUCCEEDED
        verb = verb_to(MOVEMENT_ARROWS, source=before, target=target)
        if verb is None:
            return
        getattr(movement, verb)()
        self.changes.movements[movement.id] = movement
        entries = self._entries_of_move(movement, before, target)
        for entry in entries:
            entry.reference = proof if entry.kind in ("external", "exchange") else ""
        self._book_all(entries)
        if movement.disputed_minor:
            movement.disputed_minor = 0
            self.changes.withheld[movement.id] = movement
        if target is MovementState.PENDING:
            movement.accepted_at = movement.accepted_at or self.now
        elif target is not MovementState.INTENDED:
            movement.settled_at = self.now
        word = _word_for(movement)
        self.record(self.refunds[movement.refund_id], f"gateway_refund.{word}", _facts_of(movement), SYSTEM)

    def add_movement(
        self, refund: Refund, share: PaymentShare, amount_minor: int, to: Destination = BACK, *, failure_code: str = ""
    ) -> GatewayRefund:
        """A further movement of a refund that has been entered already, reserved; with a `failure_code` it is one that
        has failed, and nothing is."""
        movements = self.movements[refund.id]
        new_id = self.new_id(GatewayRefund)
        movement = new_movement(refund, len(movements) + 1, new_id=new_id, share_id=share.id, amount_minor=amount_minor)
        movement.destination = to
        movements.append(movement)
        self.changes.new_movements.append(movement)
        if failure_code:
            movement.fail()
            movement.failure_code = failure_code
        else:
            self.book(self._entry_of(movement, "reserve"))
        return movement

    def withhold(self, movement: GatewayRefund, amount_minor: int) -> None:
        """So much of what is reserved for it stands under a dispute now; or, below 0, is reserved for it again."""
        kind = "release" if amount_minor > 0 else "reserve"
        movement.disputed_minor += amount_minor
        self.changes.withheld[movement.id] = movement
        self.book(self.entry(self.shares[movement.share_id], kind, abs(amount_minor), movement_id=movement.id))
        self.look_soon(self.refunds[movement.refund_id])

    def turn_into(self, movement: GatewayRefund, kind: MovementKind) -> None:
        """It is not done as it was meant: the hold ends instead, or the bank has paid."""
        movement.kind = kind.value
        self.changes.withheld[movement.id] = movement

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
        for has_minor in (free_on, self._unsent_on):
            for share in shares:
                left = amount_minor - sum(taken.values())
                taken[share.id] += min(left, has_minor(share))
        taken[shares[0].id] += amount_minor - sum(taken.values())
        return [(share, taken[share.id]) for share in shares if taken[share.id]]

    def _unsent_on(self, share: PaymentShare) -> int:
        return sum(m.amount_minor - m.disputed_minor for m in self.unsent(share))

    def uncaptured_on(self, share: PaymentShare) -> set[int]:
        """The movements that have not left and that captured money does not cover, after those which have and older
        ones; by id."""
        if not share.authorized_minor:
            return set()
        unsent = self.unsent(share)
        left = share.unspent_minor - (share.reserved_minor - self._unsent_on(share))
        found = set()
        for movement in reversed(unsent):
            if movement.amount_minor > left:
                found.add(movement.id)
            else:
                left -= movement.amount_minor
        return found

    def is_whole_hold(self, movement: GatewayRefund, share: PaymentShare) -> bool:
        """It takes all that is held of a payment, nothing of which was captured, and no other order has of it."""
        if share.captured_minor or movement.target or movement.disputed_minor:
            return False
        if not movement.amount_minor == share.authorized_minor == share.reserved_minor:
            return False
        return share.payment_id not in self._shared

    @cached_property
    def _shared(self) -> set[int]:
        """The payments that several orders share."""
        found = PaymentShare.objects.filter(payment__in=self.payments).values("payment_id")
        return set(found.annotate(n=Count("id")).filter(n__gt=1).values_list("payment_id", flat=True))

    def ending_on(self, share: PaymentShare) -> int:
        """What of its hold we are ending just now: nobody knows yet whether it has ended."""
        return sum(m.amount_minor for m in self._movements_on(share) if is_ending(m))

    def look_soon(self, refund: Refund) -> None:
        """Something that others have done concerns it."""
        self.set_clock(refund, self.now)
        self.concerned.add(refund.id)

    @contextmanager
    def as_one(self) -> Iterator[None]:
        """What is booked within, all of one share, is one fact: only what comes of it takes from others."""
        if self._is_taking:
            yield
            return
        self._is_taking = True
        yield
        self._is_taking = False
        if self.changes.entries:
            self._balance(self.changes.entries[-1])

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
        for movement in self.unsent(share):
            if share.free_minor < 0:
                self._lose(movement)
        self._is_taking = False

    def unsent(self, share: PaymentShare) -> list[GatewayRefund]:
        """The reservations on the share that nothing has come of yet, the newest refund's first."""
        unsent = filter(_has_not_left, self._movements_on(share))
        return sorted(unsent, key=attrgetter("refund_id", "id"), reverse=True)

    def _movements_on(self, share: PaymentShare) -> list[GatewayRefund]:
        self.open_cases([r.id for r in self.refunds_of[share.order_id] if r.id not in self.movements])
        of_order = (m for refund in self.refunds_of[share.order_id] for m in self.movements[refund.id])
        return [m for m in of_order if m.share_id == share.id]

    def _lose(self, movement: GatewayRefund) -> None:
        movement.failure_code, movement.retry_at = FUNDS_TAKEN, None
        self.move(movement, MovementState.FAILED)
        self.look_soon(self.refunds[movement.refund_id])

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
        """What a dispute withholds of it is not reserved: nothing to release, but to reserve where the money is out
        after all. Of a hold ends what the shop has not stated to be captured meanwhile."""
        kinds = ledger_kinds(
            before, after, MovementKind(movement.kind), paid_as="credit" if movement.target else "refund"
        )
        entries = [self._entry_of(movement, kind) for kind in kinds]
        if "void" in kinds:
            entries[-1].amount_minor = min(movement.amount_minor, self.shares[movement.share_id].authorized_minor)
        if withheld := movement.disputed_minor:
            if "release" in kinds:
                entries[0].amount_minor -= withheld
            else:
                entries.append(self._entry_of(movement, "reserve"))
                entries[-1].amount_minor = withheld
        return [entry for entry in entries if entry.amount_minor]

    def _entry_of(self, movement: GatewayRefund, kind: str) -> LedgerEntry:
        return self.entry(self.shares[movement.share_id], kind, movement.amount_minor, movement_id=movement.id)

    def _book_excess(self, cause: LedgerEntry, kind: str, amount_minor: int) -> None:
        share = self.shares[cause.share_id]
        self._excess_before.setdefault(share.id, share.excess_minor)
        self._put(self.entry(share, kind, amount_minor, movement_id=cause.gateway_refund_id))


def free_on(share: PaymentShare) -> int:
    """What a fact can take of a share without taking it from anybody."""
    return max(0, share.room_minor)


def is_ending(movement: GatewayRefund) -> bool:
    """A hold that its gateway was told to end, and whose answer is open."""
    is_open = movement.call != CallPhase.IDLE or movement.state == MovementState.PENDING
    return movement.kind == MovementKind.VOID and is_open


def _has_not_left(movement: GatewayRefund) -> bool:
    is_unsent = movement.state == MovementState.INTENDED and movement.call == CallPhase.IDLE
    return is_unsent and movement.amount_minor > movement.disputed_minor


_WORDS = {MovementKind.VOID.value: "released", MovementKind.EXCHANGE.value: "exchanged"}


def _word_for(movement: GatewayRefund) -> str:
    """What has become of it: of a hold nothing is paid back, for another order nothing either."""
    is_over = movement.state in (MovementState.SUCCEEDED, MovementState.EXTERNAL)
    return (is_over and _WORDS.get(movement.kind)) or str(movement.state)


def _facts_of(movement: GatewayRefund) -> dict[str, Any]:
    return {
        "number": movement.number,
        "amount_minor": movement.amount_minor,
        "currency": movement.currency,
        "gateway_refund_id": movement.gateway_refund_id,
        "failure_code": movement.failure_code,
        "attempt": movement.attempt,
    }
