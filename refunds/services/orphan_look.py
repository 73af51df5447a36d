"""Orphans under their orders' locks: each is settled from the rows as they are, and written with them."""

from collections.abc import Collection, Iterable
from datetime import timedelta

from django.conf import settings
from django.db.models import F

from orders import clock
from orders.locks import lock_orders
from refunds import records
from refunds.calls import CallPhase, ask_again_at, retry_delay
from refunds.models import GatewayRefund, Orphan
from refunds.models.orphan import OrphanKind, OrphanState
from refunds.orphans import (
    LONGEST_UNSETTLED,
    Fate,
    OrphanView,
    advanced,
    booked_as,
    dispute_fate,
    pickup_fate,
    refund_fate,
)
from refunds.selectors.orphans import Ties, booked_outside, known_pickups, ties_of
from refunds.services.answers import Abilities
from refunds.services.dispute_books import settle_dispute
from refunds.services.docket import Docket
from refunds.services.inbox import store_events
from refunds.services.orphan_books import CASE, facts_of, settle_orphan
from refunds.services.rows import TIMING, movement_view
from refunds.services.wakes import order_changed
from workers.ports import (
    NO_CURRENCY,
    Cancellation,
    Cancelled,
    Found,
    GatewayEvent,
    GatewayFact,
    GatewayStatus,
    LookUp,
    Refused,
)

_COLUMNS = ("status", "state", "next_reconcile_at", "failures", "last_error")
#: Nothing follows any more, whatever is said.
_OVER = (OrphanState.CALLED_OFF, OrphanState.STANDS)
PICKUP_CASE = "orphaned_pickup"


def hold_orphans(orphan_ids: Collection[int], can: Abilities, *, wait_ms: int | None) -> tuple["OrphanLook", list[int]]:
    """Lock them and their orders in the running transaction; those that others hold are left out, and named."""
    ties = ties_of(orphan_ids)
    orders = {order_id for each in ties.values() for order_id in each.order_ids}
    locked = lock_orders(orders, wait_ms=wait_ms, skip_locked=wait_ms is None)
    free = [pk for pk, each in ties.items() if each.order_ids <= locked]
    held = Orphan.objects.select_for_update(skip_locked=True, no_key=True).filter(pk__in=free).order_by("pk")
    look = OrphanLook(list(held), ties, locked, can)
    return look, [pk for pk in ties if pk not in look.orphans]


class OrphanLook:
    def __init__(
        self, orphans: Iterable[Orphan], ties: dict[int, Ties], order_ids: Collection[int], can: Abilities
    ) -> None:
        self.orphans = {orphan.pk: orphan for orphan in orphans}
        self._ties = ties
        self._can = can
        self._docket = Docket(order_ids, now=clock.now())
        self._docket.open_cases(self._docket.refunds)
        references = [orphan.reference for orphan in self.orphans.values()]
        self._booked = booked_outside(self._docket.shares, references)
        self._known = known_pickups([pk for pk, o in self.orphans.items() if o.kind == OrphanKind.PICKUP])
        self._gone: list[int] = []
        self._changed: set[int] = set()

    def due(self) -> list[Orphan]:
        """Those whose clock has run out."""
        now = self._docket.now
        return [o for o in self.orphans.values() if o.next_reconcile_at is not None and o.next_reconcile_at <= now]

    def settle(self, orphan: Orphan) -> bool:
        """Do what its fate is. True if a call is to be made about it now."""
        owner = self._owner(orphan)
        match self._fate(orphan, owner):
            case Fate.WAIT:
                self._later(orphan, TIMING.call_seconds)
            case Fate.KEEP:
                self._gone.append(orphan.pk)
                orphan.next_reconcile_at = None
            case Fate.TELL if owner:
                self._tell_owner(orphan, owner)
            case Fate.ADOPT:
                return self._adopt(orphan)
            case Fate.IGNORE:
                orphan.state, orphan.next_reconcile_at = OrphanState.FOREIGN.value, None
            case Fate.CALL_OFF:
                return orphan.state not in _OVER
        return False

    def claim(self, orphan: Orphan) -> None:
        """A call goes out; repeating it is safe, so that all there is to note is when nobody will have answered it."""
        self._later(orphan, TIMING.call_seconds)

    def take_answer(self, orphan: Orphan, answer: LookUp | Cancellation) -> None:
        """What became of it, by the gateway's or the courier's word."""
        match answer:
            case Found():
                self._take_found(orphan, answer)
            case Cancelled():
                orphan.state, orphan.next_reconcile_at = OrphanState.CALLED_OFF.value, None
            case Refused(retryable=False):
                orphan.state, orphan.next_reconcile_at = OrphanState.STANDS.value, None
                facts = {"account": orphan.account, "waybill": orphan.reference, "number": orphan.number}
                self._docket.open_case(None, PICKUP_CASE, facts | {"reason": answer.code})
            case _:
                orphan.failures += 1
                orphan.last_error = (answer.code if isinstance(answer, Refused) else answer.reason)[:200]
                self._later(orphan, retry_delay(orphan.failures, TIMING))

    def seconds_left(self, orphan: Orphan) -> float | None:
        """Until its clock runs out; None: it has none."""
        at = orphan.next_reconcile_at
        return None if at is None else max(0.0, (at - self._docket.now).total_seconds())

    def write(self) -> None:
        kept = [orphan for pk, orphan in self.orphans.items() if pk not in self._gone]
        records.update(Orphan, _COLUMNS, kept)
        Orphan.objects.filter(pk__in=self._gone).delete()
        self._docket.write()
        if self._changed:
            order_changed(self._changed)

    def _fate(self, orphan: Orphan, owner: GatewayRefund | None) -> Fate:
        if orphan.kind == OrphanKind.PICKUP:
            is_ours = orphan.number.startswith(f"{settings.NUMBER_PREFIX}-")
            return pickup_fate(is_known=orphan.pk in self._known, is_ours=is_ours)
        ties = self._ties[orphan.pk]
        if orphan.kind == OrphanKind.DISPUTE:
            return dispute_fate(is_payment_ours=bool(ties.payment_id and ties.order_ids))
        seen = OrphanView(
            fact=_fact(orphan),
            owner=movement_view(owner, self._can(orphan.account)) if owner else None,
            booked=booked_as({kind for _, kind in self._booked.get(orphan.reference, {})}),
            is_payment_ours=bool(ties.payment_id and ties.order_ids),
            may_be_ours=not orphan.number
            and any(m.call != CallPhase.IDLE for m in self._movements_on(ties.payment_id)),
        )
        return refund_fate(seen, self._docket.now)

    def _owner(self, orphan: Orphan) -> GatewayRefund | None:
        """Not every gateway says our number in all that it tells, but its own id."""
        ties = self._ties[orphan.pk]
        if ties.refund_id is not None:
            return next(m for m in self._docket.movements[ties.refund_id] if m.pk == ties.movement_id)
        holders = (m for m in self._movements_on(ties.payment_id) if m.gateway_refund_id == orphan.reference)
        return next(holders, None)

    def _movements_on(self, payment_id: int | None) -> list[GatewayRefund]:
        movements = (m for of_refund in self._docket.movements.values() for m in of_refund)
        return [m for m in movements if self._docket.payment_of(m).pk == payment_id]

    def _is_call_open(self, payment_id: int | None) -> bool:
        return any(m.call != CallPhase.IDLE for m in self._movements_on(payment_id))

    def _tell_owner(self, orphan: Orphan, owner: GatewayRefund) -> None:
        """As its gateway's webhook would; the owner asks before it believes. Again ever more slowly, until it is in
        the books; when that takes too long, or its amount cannot be counted, a person is asked to look."""
        orphan.failures += 1
        can_be_counted = orphan.currency != NO_CURRENCY
        if can_be_counted:
            store_events(orphan.account, [_event(orphan, owner.number)])
        if not can_be_counted or self._docket.now - orphan.reported_at > LONGEST_UNSETTLED:
            self._docket.open_incident(self._docket.refunds[owner.refund_id], CASE, facts_of(orphan))
        self._ask_later(orphan)

    def _adopt(self, orphan: Orphan) -> bool:
        is_open = orphan.state == OrphanState.ADOPTED and orphan.status == GatewayStatus.PENDING
        self._settle_money(orphan)
        return is_open and self._can(orphan.account).look_up

    def _settle_money(self, orphan: Orphan) -> None:
        payment_id = self._ties[orphan.pk].payment_id
        shares = sorted((s for s in self._docket.shares.values() if s.payment_id == payment_id), key=lambda s: s.id)
        settle = settle_dispute if orphan.kind == OrphanKind.DISPUTE else settle_orphan
        if settle(self._docket, orphan, shares, self._booked.setdefault(orphan.reference, {})):
            self._changed |= {share.order_id for share in shares}
        orphan.state = OrphanState.ADOPTED.value
        if orphan.status == GatewayStatus.PENDING:
            self._ask_later(orphan)
        else:
            orphan.next_reconcile_at = None

    def _take_found(self, orphan: Orphan, answer: Found) -> None:
        held = next((f for f in answer.facts if f.gateway_refund_id == orphan.reference), None)
        if held:
            orphan.status = advanced(GatewayStatus(orphan.status), held.status).value
            self._settle_money(orphan)
        else:
            self._ask_later(orphan)

    def _ask_later(self, orphan: Orphan) -> None:
        orphan.next_reconcile_at = ask_again_at(orphan.reported_at, now=self._docket.now, timing=TIMING)

    def _later(self, orphan: Orphan, seconds: float) -> None:
        orphan.next_reconcile_at = self._docket.now + timedelta(seconds=seconds)


def _fact(orphan: Orphan) -> GatewayFact:
    return GatewayFact(
        gateway_refund_id=orphan.reference,
        number=orphan.number,
        status=GatewayStatus(orphan.status),
        amount_minor=orphan.amount_minor,
        currency=orphan.currency,
        payment_reference=orphan.payment_reference,
    )


def _event(orphan: Orphan, number: str) -> GatewayEvent:
    return GatewayEvent(
        event_id=f"listed:{orphan.pk}:{orphan.failures}",
        kind="refund.updated",
        payment_reference=orphan.payment_reference,
        number=number,
        gateway_refund_id=orphan.reference,
        status=GatewayStatus(orphan.status),
        amount_minor=orphan.amount_minor,
        currency=orphan.currency,
        occurred_at=None,
    )


def postpone_orphan(orphan_id: int, *, seconds: float, reason: str) -> None:
    """A look at it raised, or killed its workers: the sweep leaves it alone for so long."""
    Orphan.objects.filter(pk=orphan_id).update(
        next_reconcile_at=clock.now() + timedelta(seconds=seconds),
        failures=F("failures") + 1,
        last_error=reason[:200],
    )
