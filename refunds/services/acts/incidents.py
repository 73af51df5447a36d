"""Closing an incident by hand: a person has looked at it, and says what came of it."""

from collections.abc import Collection

from django.db import transaction

from orders import clock
from orders.errors import Conflict, Invalid
from orders.locks import WEB_WAIT_MS, lock_orders
from orders.roles import Actor
from refunds.incidents import DOUBTS, lasting, permit_closing
from refunds.models import Incident
from refunds.selectors.incidents import cause, incident_by_id
from refunds.services.acts.desk import read_case
from refunds.services.wakes import wake_notifications, wake_refunds
from refunds.states import RefundState


@transaction.atomic
def close_incident(incident_id: int, *, channels: Collection[int], note: str, actor: Actor) -> Incident:
    """The note stays with the incident; an event on the refund, where there is one, says who closed it.

    Raises Invalid without a note, NotFound (unknown or of another channel), Forbidden, LockNotHad, and Conflict:
    `incident_closed` for who comes second, `incident_lasts` while its cause does (`refunds.incidents`).
    """
    if not note.strip():
        raise Invalid.of("note", "required", "Say what came of it.")
    incident = incident_by_id(incident_id, channels=channels)
    permit_closing(incident.kind, actor)
    lock_orders([incident.order_id] if incident.order_id else [], wait_ms=WEB_WAIT_MS)
    incident = incident_by_id(incident_id, channels=channels)
    if incident.closed_at:
        raise Conflict("incident_closed", f"It was closed at {incident.closed_at:%Y-%m-%dT%H:%M:%SZ}.")
    if incident.refund_id is None:
        return _end(incident, note, actor)
    return _end_of_refund(incident, note, actor)


def _end(incident: Incident, note: str, actor: Actor) -> Incident:
    incident.closed_at, incident.closed_by, incident.note = clock.now(), actor.reference, note
    incident.save(update_fields=["closed_at", "closed_by", "note"])
    return incident


def _end_of_refund(incident: Incident, note: str, actor: Actor) -> Incident:
    """Nothing is decided by it: the engine only looks again, at what its conditions say of open cases."""
    refund, docket = read_case(incident.order_id, incident.refund_id)  # type: ignore[arg-type]
    if problem := lasting(incident.kind, cause(refund, docket.movements[refund.id])):
        raise problem
    docket.close_incidents(refund, actor=actor, note=note, kinds={incident.kind})
    if incident.kind in DOUBTS and refund.state == RefundState.INSPECTING:
        # The warehouse could not look at them meanwhile: it has its time anew.
        refund.deadline = None
        docket.touch(refund)
    docket.record(refund, "incident.closed", {"incident": incident.pk, "kind": incident.kind}, actor)
    docket.set_clock(refund, docket.now)
    wake_refunds([refund.id])
    wake_notifications(docket.write())
    incident.refresh_from_db()
    return incident
