"""Another time for the courier: those he offers, asked of him when the page is opened; else any the customer likes."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from orders import clock
from refunds.actions import Action
from refunds.pages.forms import RebookForm, SlotForm
from refunds.pages.once import FIELD, new_token
from refunds.pages.showing import common, request_at
from refunds.pages.visits import Visit, visited
from refunds.selectors.refunds import refund_by_number
from refunds.services.couriers import courier_for
from refunds.services.offered_slots import offered_slots
from workers.bootstrap import courier


@visited
def slots(request: HttpRequest, visit: Visit, number: str) -> HttpResponse:
    """Only where he can still be moved; else the page of the request says how it stands."""
    asked = request_at(visit, number)
    part = next((part for part in asked.parts if part.number == number), None)
    if part is None or Action.REBOOK_PICKUP not in part.actions:
        return HttpResponseRedirect(visit.address("requests", asked.number))
    refund = refund_by_number(number, channels=[visit.order.channel_id])
    offered = offered_slots(refund, courier(courier_for(visit.order)))
    values = common(visit) | {
        "number": number,
        "asked": asked,
        "chosen": SlotForm(offered=offered, words=visit.words) if offered else None,
        "free": RebookForm(today=clock.now().astimezone(visit.zone).date()),
        "token_field": FIELD,
        "token": new_token(),
        "languages_at": visit.address("refunds", number, "slots"),
    }
    return render(request, "pages/slots.html", values)
