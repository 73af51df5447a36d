"""A parcel that came without a case: received on the one it belongs to, else a case for a person. Nothing is lost, and
saying it again changes nothing."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db import transaction

from orders import clock
from orders.errors import Invalid
from orders.roles import Actor
from refunds import records
from refunds.actions import Action, hindrance, permit
from refunds.incidents import INCIDENT_DUE, UNKNOWN_PARCEL
from refunds.models import Incident, Refund
from refunds.selectors.allowed import position_of
from refunds.selectors.arrivals import Parcel, orders_of_parcel, refunds_of_orders, refunds_of_parcel
from refunds.services.acts.desk import Target, conclude, open_case
from refunds.services.acts.goods import bring_box, receive
from refunds.states import RefundState

#: Who says the same of the same parcel at the same time waits for the first.
_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtextextended('parcel ' || %s, 0))"
#: Before anybody inspects the goods.
_LOOKED_AT = frozenset({RefundState.IN_REVIEW, RefundState.OFFERED, RefundState.AWAITING_RETURN})


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where it went: refunds that have it now, or an incident."""

    refunds: tuple[Refund, ...] = ()
    incident: Incident | None = None


@transaction.atomic
def take_parcel(parcel: Parcel, *, channels: Collection[int], actor: Actor) -> Arrival:
    """The refunds that name this very parcel have it; else the one refund whose goods are awaited from this order or
    customer. Raises Forbidden, LockNotHad, and Invalid when nothing can be read on it."""
    permit(Action.RECEIVE, actor)
    parcel = Parcel(**{name: text.strip() for name, text in asdict(parcel).items()})
    known = _known(parcel)
    if not known.keys() - {"note"}:
        raise Invalid.of("tracking_number", "required", "Say what can be read on the parcel.")
    records.execute(_ONE_AT_A_TIME, [repr(known)])
    named = refunds_of_parcel(parcel, channels=channels)
    if found := [r for r in named if r.received_at or _is_awaited(r, actor)]:
        return Arrival(tuple(_take(r, parcel, channels, actor) for r in found))
    orders = orders_of_parcel(parcel, channels=channels)
    awaited = [r for r in refunds_of_orders(orders) if _is_awaited(r, actor)]
    if len(awaited) == 1:
        return Arrival((_take(awaited[0], parcel, channels, actor),))
    about = {r.order_id for r in named} or {order.pk for order in orders}
    return Arrival(incident=_noted(known, about, [r.number for r in awaited]))


def _is_awaited(refund: Refund, actor: Actor) -> bool:
    """So is one that is looked at and has them: said again, it is the same."""
    at = position_of(refund)
    seen = replace(at, received=False) if at.state in _LOOKED_AT else at
    return hindrance(Action.RECEIVE, seen, actor) is None


def _take(refund: Refund, parcel: Parcel, channels: Collection[int], actor: Actor) -> Refund:
    """The first parcel of a refund is its receipt; of a further box the trail tells, once."""
    on, code = Target(refund.number, channels), parcel.tracking_number
    if not refund.received_at:
        refund = receive(on, waybill=code, actor=actor)
    if not code:
        return refund
    refund, docket = open_case(Action.RECEIVE, on, actor)
    return conclude(docket, refund) if bring_box(docket, refund, code, actor=actor) else refund


def _known(parcel: Parcel) -> dict[str, Any]:
    """References only; of a phone number that leads to nobody, what a person recognises it by."""
    said = {name: getattr(parcel, name) for name in ("tracking_number", "order", "reference", "note")}
    said["phone"] = f"...{parcel.phone[-4:]}" if parcel.phone else ""
    return {name: text for name, text in said.items() if text}


def _noted(known: dict[str, Any], orders: Collection[int], refunds: list[str]) -> Incident:
    """One case for one parcel, for as long as it is open. `refunds` are those whose goods it may hold."""
    same = Incident.objects.filter(kind=UNKNOWN_PARCEL, closed_at=None, data__contains=known)
    if found := same.select_related("order__channel").first():
        return found
    now, data = clock.now(), known | ({"refunds": refunds} if refunds else {})
    order_id = next(iter(orders)) if len(orders) == 1 else None
    fields = {"opened_at": now, "due_at": now + INCIDENT_DUE, "order_id": order_id}
    return Incident.objects.create(kind=UNKNOWN_PARCEL, data=data, **fields)
