"""The docket: the rows of some locked orders, changed in memory by the rules and written once, set by set.

Whoever holds the orders' locks (`orders.locks`) loads a docket, acts on it, and calls `write()` in the same
transaction. A request, an act of a person, T1 and T2 all write through it, so that none of them can forget a
counter, the ledger, an event or the order's projections. All times are the docket's `now`, the business clock's.
"""

from typing import Any

from orders.models import Order
from orders.roles import SYSTEM, Actor
from orders.states import ORDER_ARROWS, order_refund_state, order_state, verb_to
from refunds import records
from refunds.incidents import ended_in
from refunds.models import GatewayRefund, Refund, RefundLine
from refunds.seen import MOVED
from refunds.services.excess import follow_excess
from refunds.services.ledger import Ledger
from refunds.services.rows import is_goods_left, line_units
from refunds.services.units import Standing, count_line, count_shipping, standing
from refunds.services.wakes import wake_refunds
from refunds.states import (
    FINAL_STATES,
    PAID_STATES,
    RELEASED_STATES,
    WISH_STATES,
    MovementKind,
    MovementState,
    RefundState,
)


class Docket(Ledger):
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
            self.book(self._entry_of(movement, "reserve"))
        self.record(refund, "refund.requested", {"amount_minor": refund.amount_minor, "sheet": refund.sheet}, actor)

    def follow(self, refund: Refund, verb: str, *, actor: Actor = SYSTEM, data: dict[str, Any] | None = None) -> None:
        """Take an arrow; units and reservations follow the state, and an event says so."""
        before = standing(refund.state)
        getattr(refund, verb)()
        self.stand(refund, before, standing(refund.state))
        if refund.state in PAID_STATES and (voided := self._voided_minor(refund)):
            refund.sheet = refund.sheet | {"voided_minor": voided}
            self.decide_anew(refund)
        refund.finished_at = self.now if refund.state in FINAL_STATES else None
        if refund.state in RELEASED_STATES:
            self._cancel_movements(refund)
        if over := ended_in(RefundState(refund.state), self.incidents[refund.id]):
            self.close_incidents(refund, actor=actor, note=f"The refund is {refund.state}.", kinds=over)
        points = {"points": refund.sheet["points"]} if _takes_points(refund) else {}
        self.record(refund, f"refund.{refund.state}", (data or {}) | points, actor)
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
        wake_refunds(self.concerned)
        with records.together():
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
            anything_left=money_left and is_goods_left(order, lines),
        )
        order.resource_version += 1

    def _voided_minor(self, refund: Refund) -> int:
        """So much of it was settled by the end of a hold."""
        movements = self.movements[refund.id]
        return sum(m.amount_minor for m in movements if m.kind == MovementKind.VOID and m.state in MOVED)

    def _cancel_movements(self, refund: Refund) -> None:
        for movement in self.movements[refund.id]:
            if movement.state == MovementState.INTENDED:
                self.move(movement, MovementState.CANCELLED)


def _takes_points(refund: Refund) -> bool:
    """The points that were earned with what has come back are to be taken from the customer."""
    return refund.state == RefundState.REFUNDED and bool(refund.sheet.get("points"))
