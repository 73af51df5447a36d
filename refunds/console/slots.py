"""When the courier can come for a parcel: asked of him when the page is opened, for an agent to choose from."""

import uuid
from datetime import tzinfo

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from orders.snapshot import snapshot
from refunds.actions import Action
from refunds.console import written
from refunds.console.access import agent
from refunds.console.acts import seen_by
from refunds.console.forms import customers_zone
from refunds.console.site import show
from refunds.console.words import ACTIONS
from refunds.selectors.allowed import allowed_actions
from refunds.selectors.desk import case_file
from refunds.services.couriers import courier_for
from refunds.services.offered_slots import offered_slots
from workers.bootstrap import courier
from workers.ports import Slot


def slots(request: HttpRequest, number: str) -> HttpResponse:
    """GET /console/refunds/{number}/slots/: only where he can still be moved; else the case says how it stands."""
    caller = agent(request).caller
    with snapshot():
        refund = case_file(number, channels=caller.channel_ids, has_left=written.has_left).refund
        may = Action.REBOOK_PICKUP in allowed_actions(refund, caller.actor)
    there = reverse("console:case", args=[number])
    if not may:
        return HttpResponseRedirect(there)
    zone, offered = customers_zone(refund), offered_slots(refund, courier(courier_for(refund.order)))
    context = {
        "title": number,
        "there": there,
        "zone": zone,
        "slots": [(_named(slot, zone), written.span(slot.starts_at, slot.ends_at, zone)) for slot in offered],
        "door": {"seen": seen_by(Action.REBOOK_PICKUP, refund), "label": ACTIONS[Action.REBOOK_PICKUP]},
        "address": reverse("console:act", args=[number, Action.REBOOK_PICKUP]),
        "once": uuid.uuid4().hex,
    }
    return show(request, "console/slots.html", context)


def _named(slot: Slot, zone: tzinfo) -> str:
    """As `RebookForm` reads it."""
    return "/".join(f"{at.astimezone(zone):%Y-%m-%dT%H:%M:%S}" for at in (slot.starts_at, slot.ends_at))
