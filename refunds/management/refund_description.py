"""One refund as an operator reads it: why it stands here, and when it moves. No personal data."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from orders.models.call import OutsideCall
from refunds.amounts import format_minor
from refunds.management.writing import NONE, age, field, moment, table
from refunds.models import GatewayRefund, Notification, Pickup, Refund
from refunds.numbers import request_number
from refunds.selectors.conditions import conditions
from refunds.selectors.dossier import Dossier, Happened
from workers.workqueue import Whereabouts

_EFFECTS = (
    "Kind",
    "Number",
    "Theirs",
    "State",
    "Call",
    "Attempt",
    "Failures",
    "Sent",
    "Answer due",
    "Retry",
    "Last error",
)
_BANDS = {"high": "the high band", "low": "the low band"}


def describe_refund(found: Dossier, at: Whereabouts | None) -> str:
    """`at`: where its key is in the queue; None where Redis could not be asked."""
    refund, now = found.refund, found.now
    lines = [
        *_head(refund, now),
        *_lines(refund),
        *_sheet(refund),
        *_conditions(refund, now),
        *_effects(refund, now),
        *table("Incidents", ("Kind", "Age", "Closed", "Note"), (_incident(i, now) for i in found.incidents)),
        *table("Events", ("Last seen", "Kind", "By", "Data"), (_event(e, now) for e in found.events)),
        field("Queue", _place(refund, at)),
        field("Next look", moment(refund.next_reconcile_at, now)),
    ]
    return "\n".join(lines)


def _head(refund: Refund, now: datetime) -> Iterator[str]:
    order = refund.order
    yield field("Name", refund.number)
    yield field("Request", request_number(refund.number, refund.request_id))
    yield field("Order", f"{order.number} (channel {order.channel.slug}, {order.state})")
    yield field("State", refund.state)
    yield field("Route", refund.route)
    yield field("Goods", refund.goods)
    yield field("Reason", refund.reason_code)
    yield field("Amount", format_minor(refund.amount_minor, refund.currency, "en"))
    yield field("Policy", refund.policy_version)
    yield field("Requested", f"{moment(refund.created_at, now)} by {refund.requested_by} as {refund.requested_role}")
    yield field("Generation", f"{refund.generation} (observed {refund.observed_generation})")
    yield field("Resource version", refund.resource_version)
    yield field("Deadline", moment(refund.deadline, now))
    yield from (field(name, value) for name, value in _marks(refund, now) if value)


def _marks(refund: Refund, now: datetime) -> Iterator[tuple[str, str]]:
    """What not every refund has."""
    held = f"until {moment(refund.held_until, now)}, since {moment(refund.held_from, now)}"
    approved = f"{moment(refund.approved_at, now)} by {refund.approved_by}"
    yield "Assignee", f"principal:{refund.assignee_id}" if refund.assignee_id else ""
    yield "Approved", approved if refund.approved_at else ""
    yield "Held", held if refund.held_until else ""
    yield "Cancel wanted", f"by {refund.cancel_wanted_by}" if refund.cancel_wanted_by else ""
    yield "Rejection", refund.rejection_code
    yield "Received", moment(refund.received_at, now) if refund.received_at else ""
    yield "Finished", moment(refund.finished_at, now) if refund.finished_at else ""
    yield "Failed syncs", str(refund.failures) if refund.failures else ""


def _lines(refund: Refund) -> list[str]:
    header = ("Line", "SKU", "Units", "Announced", "Place", "Amount")
    rows = (
        (
            line.order_line.line_id,
            line.order_line.sku,
            line.quantity,
            line.announced,
            line.place,
            format_minor(line.amount_minor, refund.currency, "en"),
        )
        for line in refund.lines.all()
    )
    return table("Lines", header, rows)


def _sheet(refund: Refund) -> list[str]:
    entries = refund.sheet.get("entries", [])
    rows = [(e["kind"], e["label"], e["quantity"] or "", _money(e["amount_minor"], refund)) for e in entries]
    total = [("total", "", "", _money(refund.sheet["total_minor"], refund))] if entries else []
    return table("Sheet", ("Entry", "Label", "Units", "Amount"), rows + total)


def _conditions(refund: Refund, now: datetime) -> list[str]:
    header = ("Type", "Status", "Age", "Reason", "Message")
    rows = (
        (c["type"], c["status"], age(now - _time(c["last_transition_time"])), c["reason"], c["message"])
        for c in conditions(refund)
    )
    return table("Conditions", header, rows)


def _effects(refund: Refund, now: datetime) -> list[str]:
    parcels = {line.shipment.pk: line.shipment for line in refund.lines.all() if line.shipment}
    rows = [
        *(
            (_money_kind(m), m.number, m.gateway_refund_id, m.state, *_call(m, now))
            for m in refund.gateway_refunds.all()
        ),
        *((_pickup_kind(p), p.number, p.waybill, p.state, *_call(p, now)) for p in refund.pickups.all()),
        *(("intercept", "", p.tracking_number, p.state, *_call(p, now)) for p in parcels.values() if p.attempt),
        *((n.channel, n.template, f"event {n.event_seq}", n.state, *_call(n, now)) for n in refund.notifications.all()),
    ]
    return table("Effects", _EFFECTS, rows)


def _call(of: OutsideCall, now: datetime) -> tuple[object, ...]:
    """The retry is a message's next look where it has none of its own."""
    retry = of.next_reconcile_at if isinstance(of, Notification) else of.retry_at
    sent = f"{age(now - of.sent_at)} ago" if of.sent_at else ""
    due = _ahead(of.answer_due_at, now) if of.call == "sent" else ""
    return of.call, of.attempt, of.failures, sent, due, _ahead(retry, now), of.last_error


def _money_kind(movement: GatewayRefund) -> str:
    return f"money to {movement.target}" if movement.target else "money"


def _pickup_kind(pickup: Pickup) -> str:
    return "pickup (unwanted)" if pickup.unwanted else "pickup"


def _incident(incident: Any, now: datetime) -> tuple[object, ...]:
    closed = f"{age(now - incident.closed_at)} ago by {incident.closed_by}" if incident.closed_at else "open"
    return incident.kind, age(now - incident.opened_at), closed, incident.note


def _event(event: Happened, now: datetime) -> tuple[object, ...]:
    seen = age(now - event.last)
    if event.count > 1:
        seen += f" (x{event.count} over {age(now - event.first)})"
    return seen, event.kind, event.actor, _data(event.data)


def _data(data: Mapping[str, Any]) -> str:
    """What is told in a word; sheets and lines are shown above."""
    return " ".join(f"{name}={value}" for name, value in data.items() if isinstance(value, str | int) and value != "")


def _place(refund: Refund, at: Whereabouts | None) -> str:
    """Where `refunds/ID` is right now."""
    key = f"refunds/{refund.pk}"
    if at is None:
        return f"{key}: Redis does not answer; the sweep finds it by its next look"
    told = [*_waiting(at), *_held(at), *_history(at), *(["the queue is paused"] if at.paused else [])]
    return f"{key}: {'; '.join(told) if at.is_known else '; '.join(['not in the queue', *told])}"


def _waiting(at: Whereabouts) -> Iterator[str]:
    if at.band:
        yield f"waits in {_BANDS.get(at.band, f'the {at.band} band, to be handed out alone')}, place {at.place}"
    if at.due_in is not None:
        yield f"put off, in line in {at.due_in:.1f}s"


def _held(at: Whereabouts) -> Iterator[str]:
    if at.holder:
        yield f"held by pump {at.holder} for {at.held:.1f}s"
    if at.again:
        yield f"waits again in {_BANDS[at.again]} after that"


def _history(at: Whereabouts) -> Iterator[str]:
    if at.failures:
        yield f"failed {at.failures} times in a row"
    if at.reclaims:
        yield f"lost {at.reclaims} workers ({at.crashes_alone} of them alone)"


def _ahead(at: datetime | None, now: datetime) -> str:
    if at is None:
        return ""
    return f"in {age(at - now)}" if at > now else "now"


def _time(told: datetime | str) -> datetime:
    return told if isinstance(told, datetime) else datetime.fromisoformat(told)


def _money(amount_minor: int, refund: Refund) -> str:
    return format_minor(amount_minor, refund.currency, "en") if amount_minor is not None else NONE
