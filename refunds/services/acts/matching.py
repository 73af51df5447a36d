"""A parcel that nobody knew of, and a person who knows now whose it is."""

from collections.abc import Collection

from django.db import transaction

from orders import clock
from orders.errors import Conflict, Forbidden, Invalid, NotFound
from orders.locks import WEB_WAIT_MS, lock_orders
from orders.roles import Actor
from refunds.actions import Action
from refunds.incidents import may_match
from refunds.models import Incident, Refund
from refunds.selectors.incidents import incident_by_id
from refunds.selectors.refunds import order_and_refund
from refunds.services.acts.desk import check, conclude, read_case
from refunds.services.acts.goods import bring_home
from refunds.services.docket import Docket


@transaction.atomic
def match_parcel(incident_id: int, number: str, *, channels: Collection[int], note: str = "", actor: Actor) -> Incident:
    """The parcel is that of the refund with this number: received there, and its case is closed. Of a refund whose
    goods are here it is a further box.

    Raises NotFound (unknown or of another channel), Forbidden, LockNotHad, Invalid for a number of no refund, Conflict
    `incident_closed` for who comes second, and whatever speaks against receiving it there.
    """
    if not may_match(incident_by_id(incident_id, channels=channels).kind, actor):
        raise Forbidden("role_forbidden", f"The role {actor.role} may not say whose this is.")
    try:
        order_id, refund_id = order_and_refund(number, channels=channels)
    except NotFound as unknown:
        raise Invalid.of("refund", "refund_not_found", unknown.detail) from unknown
    lock_orders([order_id], wait_ms=WEB_WAIT_MS)
    incident = Incident.objects.select_for_update().get(pk=incident_id)
    if incident.closed_at:
        raise Conflict("incident_closed", f"It was closed at {incident.closed_at:%Y-%m-%dT%H:%M:%SZ}.")
    refund, docket = read_case(order_id, refund_id)
    _take(docket, refund, incident, actor)
    conclude(docket, refund)
    incident.order_id, incident.refund_id = order_id, refund_id
    incident.closed_at, incident.closed_by, incident.note = clock.now(), actor.reference, note
    incident.save(update_fields=["order", "refund", "closed_at", "closed_by", "note"])
    return incident


def _take(docket: Docket, refund: Refund, incident: Incident, actor: Actor) -> None:
    if refund.received_at is None:
        check(Action.RECEIVE, refund, docket, actor)
        bring_home(docket, refund, waybill=incident.data.get("tracking_number", ""), actor=actor)
    docket.record(refund, "refund.parcel_matched", {"incident": incident.pk}, actor)
