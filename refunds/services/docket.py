"""The docket: the rows of some locked orders, changed in memory by the rules and written once, set by set.

Whoever holds the orders' locks (`orders.locks`) loads a docket, acts on it, and calls `write()` in the same
transaction. A request, an act of a person, T1 and T2 all write through it, so that none of them can forget a
counter, the ledger, an event or the order's projections. All times are the docket's `now`, the business clock's.
"""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

from django.db import models

from orders.models import Order, PaymentShare
from orders.roles import SYSTEM, Actor
from orders.states import ORDER_ARROWS, order_refund_state, order_state, verb_to
from refunds import records
from refunds.chain import Event, anchor, link
from refunds.incidents import INCIDENT_DUE, ended_in
from refunds.models import GatewayRefund, Incident, LedgerEntry, Notification, Refund, RefundEvent, RefundLine
from refunds.movements import ledger_kinds
from refunds.policy import PolicySpec
from refunds.services.changes import Changes
from refunds.services.excess import follow_excess
from refunds.services.loaded import Loaded
from refunds.services.rows import line_units, new_movement
from refunds.services.units import Standing, count_line, count_shipping, standing
from refunds.states import FINAL_STATES, MOVEMENT_ARROWS, RELEASED_STATES, WISH_STATES, MovementState, RefundState

#: What an entry of a kind does to the columns of its payment share.
LEDGER_COLUMNS = {
    "reserve": ("reserved_minor", 1),
    "release": ("reserved_minor", -1),
    "refund": ("refunded_minor", 1),
    "external": ("refunded_minor", 1),
    "reversal": ("refunded_minor", -1),
    "excess": ("excess_minor", 1),
    "excess_ended": ("excess_minor", -1),
}


class Docket(Loaded):
    def __init__(self, order_ids: Collection[int], *, now: datetime) -> None:
        super().__init__(order_ids, now=now)
        self.changes = Changes()
        self._ids: dict[type[models.Model], Iterator[int]] = {}
        self._excess_before: dict[int, int] = {}

    def new_id(self, model: type[models.Model]) -> int:
        """A fresh id, fetched in blocks of as many as there are cases."""
        if model not in self._ids:
            self._ids[model] = records.id_source(model, block=max(1, len(self.movements)))
        return next(self._ids[model])

    def enter(self, refund: Refund, units: list[RefundLine], movements: list[GatewayRefund], *, actor: Actor) -> None:
        """A new refund (ids are set): its units are held and its money is reserved."""
        self.refunds[refund.id] = refund
        self.refunds_of[refund.order_id].append(refund)
        self.units[refund.id], self.movements[refund.id], self.incidents[refund.id] = units, movements, {}
        self.changes.new_refunds.append(refund)
        self.changes.new_units += units
        self.changes.new_movements += movements
        self.stand(refund, Standing.RELEASED, Standing.HELD)
        for movement in movements:
            self._book_movement(movement, "reserve")
        self.record(refund, "refund.requested", {"amount_minor": refund.amount_minor, "sheet": refund.sheet}, actor)

    def follow(self, refund: Refund, verb: str, *, actor: Actor = SYSTEM, data: dict[str, Any] | None = None) -> None:
        """Take an arrow; units and reservations follow the state, and an event says so."""
        before = standing(refund.state)
        getattr(refund, verb)()
        self.stand(refund, before, standing(refund.state))
        refund.finished_at = self.now if refund.state in FINAL_STATES else None
        if refund.state in RELEASED_STATES:
            self._cancel_movements(refund)
        if over := ended_in(RefundState(refund.state), self.incidents[refund.id]):
            self.close_incidents(refund, actor=actor, note=f"The refund is {refund.state}.", kinds=over)
        self.record(refund, f"refund.{refund.state}", data or {}, actor)
        if refund.state not in WISH_STATES:
            self.end_wish(refund, refund.state, actor)

    def end_wish(self, refund: Refund, reason: str, actor: Actor = SYSTEM, **facts: str) -> None:
        """The wish to cancel, if there is one, is over; while the refund goes on it is said that it was dropped."""
        if not refund.cancel_wanted_by:
            return
        refund.cancel_wanted_by = ""
        self.decide_anew(refund)
        if refund.state not in FINAL_STATES:
            self.record(refund, "refund.cancel_dropped", {"reason": reason, **facts}, actor)

    def stand(self, refund: Refund, before: Standing, after: Standing) -> None:
        """Count its units and its shipping, as they are on the rows now, over from one standing to the other."""
        if before is after:
            return
        order = self.orders[refund.order_id]
        self.changes.orders[order.id] = order
        count_shipping(order, refund, before, after)
        for units in self.units[refund.id]:
            line = self.lines[units.order_line_id]
            count_line(line, units, before, after)
            self.changes.lines[line.id] = line

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
        for kind in ledger_kinds(before, target):
            self._book_movement(movement, kind)
        if target is MovementState.PENDING:
            movement.accepted_at = movement.accepted_at or self.now
        elif target is not MovementState.INTENDED:
            movement.settled_at = self.now
        self.record(self.refunds[movement.refund_id], f"gateway_refund.{target}", _facts_of(movement), SYSTEM)

    def add_movement(self, refund: Refund, share: PaymentShare, amount_minor: int) -> GatewayRefund:
        """A further movement of a refund that has been entered already, reserved."""
        movements = self.movements[refund.id]
        new_id = self.new_id(GatewayRefund)
        movement = new_movement(refund, len(movements) + 1, new_id=new_id, share_id=share.id, amount_minor=amount_minor)
        movements.append(movement)
        self.changes.new_movements.append(movement)
        self._book_movement(movement, "reserve")
        return movement

    def book(self, entry: LedgerEntry) -> None:
        """Book an entry and its column. What exceeds the captured money is never refused: it is excess, and a case.

        Excess ends, by an entry of its own, as soon as something gives way to it.
        """
        share = self.shares[entry.share_id]
        column, sign = LEDGER_COLUMNS[entry.kind]
        setattr(share, column, getattr(share, column) + sign * entry.amount_minor)
        self.changes.entries.append(entry)
        self.changes.shares[share.id] = share
        self.changes.orders[share.order_id] = self.orders[share.order_id]
        if share.free_minor < 0:
            self._book_excess(entry, "excess", -share.free_minor)
        elif ended := min(share.free_minor, share.excess_minor):
            self._book_excess(entry, "excess_ended", ended)

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

    def record(self, refund: Refund, kind: str, data: dict[str, Any], actor: Actor) -> None:
        """Append an event to the refund's chain."""
        refund.event_seq += 1
        event = Event(refund.event_seq, kind, data, actor.reference, actor.role.value, self.now)
        refund.event_head = link(bytes(refund.event_head) or anchor(refund.number), event)
        self.changes.events.append(
            records.new(
                RefundEvent,
                refund_id=refund.id,
                seq=event.seq,
                kind=kind,
                data=data,
                actor=event.actor,
                role=event.role,
                occurred_at=self.now,
                hash=refund.event_head,
            )
        )
        self.touch(refund)

    def tell(self, refund: Refund, template: str, policy: PolicySpec) -> None:
        """Owe the customer a message about the refund's last event, over each channel that reaches him."""
        order = self.orders[refund.order_id]
        reach = {"email": order.customer_email, "sms": order.customer_phone}
        for channel in policy.channels_for(template):
            if reach[channel]:
                self.changes.notifications.append(
                    records.new(
                        Notification,
                        refund_id=refund.id,
                        event_seq=refund.event_seq,
                        channel=channel,
                        template=template,
                        next_reconcile_at=self.now,
                        created_at=self.now,
                    )
                )
        refund.acknowledged_at = refund.acknowledged_at or self.now
        self.touch(refund)

    def open_incident(self, refund: Refund, kind: str, data: dict[str, Any]) -> None:
        """A case for a person; nothing new while one of the kind is open on the refund."""
        if kind not in self.incidents[refund.id]:
            self.incidents[refund.id][kind] = self._open(kind, refund.order_id, refund.id, data)

    def open_case(self, order_id: int | None, kind: str, data: dict[str, Any]) -> None:
        """A case about an order and none of its refunds, or about nothing we know."""
        self._open(kind, order_id, None, data)

    def close_incidents(self, refund: Refund, *, actor: Actor, note: str, kinds: Collection[str] | None = None) -> None:
        """The cases of the refund, of all kinds or these, are over."""
        for kind, incident in list(self.incidents[refund.id].items()):
            if kinds is None or kind in kinds:
                self.end_incident(incident, actor=actor, note=note)
                del self.incidents[refund.id][kind]

    def end_incident(self, incident: Incident, *, actor: Actor, note: str) -> None:
        """A case is over, whatever it is about."""
        incident.closed_at, incident.closed_by, incident.note = self.now, actor.reference, note
        self.changes.closed.append(incident)

    def decide_anew(self, refund: Refund) -> None:
        """Something of the decision itself has changed: route, amount, approval, hold."""
        self.changes.decisions[refund.id] = refund
        self.touch(refund)

    def touch(self, refund: Refund) -> None:
        """Something a client can see has changed."""
        self.changes.visible.add(refund.id)
        self.changes.refunds[refund.id] = refund

    def set_clock(self, refund: Refund, next_reconcile_at: datetime | None) -> None:
        """Move the next look, which no client sees as a change. A stored one that is still ahead and earlier stays."""
        stored = refund.next_reconcile_at
        is_early_enough = stored and next_reconcile_at and self.now < stored <= next_reconcile_at
        if stored != next_reconcile_at and not is_early_enough:
            refund.next_reconcile_at = next_reconcile_at
            self.changes.refunds[refund.id] = refund

    def write(self) -> list[int]:
        """Write all that changed; the ids of new notifications, to be woken after the commit."""
        new = {r.id for r in self.changes.new_refunds}
        for refund_id in self.changes.visible:
            refund = self.refunds[refund_id]
            refund.updated_at = self.now
            refund.resource_version += refund_id not in new
        for order in self.changes.orders.values():
            self._project(order)
        for share_id, before_minor in self._excess_before.items():
            follow_excess(self.shares[share_id], before_minor=before_minor, now=self.now)
        return self.changes.write()

    def _project(self, order: Order) -> None:
        lines, refunds = self.lines_of(order.id), self.refunds_of[order.id]
        target = order_state(line_units(line) for line in lines)
        if verb := verb_to(ORDER_ARROWS, source=order.state, target=target):
            getattr(order, verb)()
        money_left = any(s.free_minor > 0 for s in self.shares_of(order.id))
        order.refund_state = order_refund_state(
            active=any(r.state not in FINAL_STATES for r in refunds),
            any_refunded=any(standing(r.state) is Standing.PAID for r in refunds) or any(x.before_minor for x in lines),
            anything_left=money_left and any(x.quantity > x.held + x.refunded for x in lines),
        )
        order.resource_version += 1

    def _cancel_movements(self, refund: Refund) -> None:
        for movement in self.movements[refund.id]:
            if movement.state == MovementState.INTENDED:
                self.move(movement, MovementState.CANCELLED)

    def _book_movement(self, movement: GatewayRefund, kind: str) -> None:
        share = self.shares[movement.share_id]
        self.book(self.entry(share, kind, movement.amount_minor, movement_id=movement.id))

    def _book_excess(self, cause: LedgerEntry, kind: str, amount_minor: int) -> None:
        share = self.shares[cause.share_id]
        self._excess_before.setdefault(share.id, share.excess_minor)
        self.book(self.entry(share, kind, amount_minor, movement_id=cause.gateway_refund_id))

    def _open(self, kind: str, order_id: int | None, refund_id: int | None, data: dict[str, Any]) -> Incident:
        due_at = self.now + INCIDENT_DUE
        incident = Incident(
            kind=kind, order_id=order_id, refund_id=refund_id, data=data, opened_at=self.now, due_at=due_at
        )
        self.changes.incidents.append(incident)
        return incident


def _facts_of(movement: GatewayRefund) -> dict[str, Any]:
    return {
        "number": movement.number,
        "amount_minor": movement.amount_minor,
        "currency": movement.currency,
        "gateway_refund_id": movement.gateway_refund_id,
        "failure_code": movement.failure_code,
        "attempt": movement.attempt,
    }
