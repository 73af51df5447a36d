"""Incidents: the list of the open ones, and a page for each, on which it is closed with a note."""

import uuid
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from orders import clock
from orders.snapshot import snapshot
from refunds.console import presenter, rows, written
from refunds.console.access import agent
from refunds.console.acts import click, sent
from refunds.console.forms import LongText, short_text
from refunds.console.paging import page_of, paged
from refunds.console.refusals import at_fields, in_words
from refunds.console.site import show
from refunds.console.timeline import by
from refunds.incidents import lasting, may_close, may_match
from refunds.models import Incident
from refunds.selectors.desk import names_of
from refunds.selectors.incidents import cause_of, incident_by_id, open_incidents
from refunds.services.acts import close_incident, match_parcel


class ClosingForm(forms.Form):
    note = LongText(label=gettext_lazy("What was found, and what was done"))


class MatchForm(forms.Form):
    """The note is the incident's."""

    refund = short_text(64, gettext_lazy("Refund whose goods it holds"))
    note = LongText(label=gettext_lazy("Note"), required=False)


#: How those outside name what it is about.
_NAMES_THERE = ("gateway_refund_id", "waybill")
#: What could be read on a parcel that nobody knows of.
_ON_THE_PARCEL = ("tracking_number", "order", "reference", "phone", "note")


def incidents(request: HttpRequest) -> HttpResponse:
    """GET /console/incidents/?page="""
    with snapshot():
        page = page_of(request, open_incidents(channels=agent(request).caller.channel_ids))
        context = {"title": _("Incidents"), "table": rows.incidents(page, clock.now())}
        return show(request, "console/incidents.html", context | paged(request, page))


def incident(request: HttpRequest, incident_id: int) -> HttpResponse:
    """GET /console/incidents/{id}/; POST closes it."""
    if request.method != "POST":
        return _page(request, incident_id, ClosingForm())
    form, caller = ClosingForm(request.POST), agent(request).caller
    if not form.is_valid():
        return _page(request, incident_id, form, status=422)
    note, said = form.cleaned_data["note"], click(request, caller)
    problem = sent(
        said,
        f"incidents/{incident_id}",
        lambda: close_incident(incident_id, channels=caller.channel_ids, note=note, actor=caller.actor),
    )
    if problem:
        messages.error(request, in_words(problem))
        return _page(request, incident_id, form, status=problem.status)
    messages.success(request, _("The incident is closed."))
    return HttpResponseRedirect(reverse("console:incidents"))


def match(request: HttpRequest, incident_id: int) -> HttpResponse:
    """POST /console/incidents/{id}/match/; whoever comes here otherwise is shown the incident."""
    if request.method != "POST":
        return HttpResponseRedirect(reverse("console:incident", args=[incident_id]))
    form, caller = MatchForm(request.POST, auto_id="match-%s"), agent(request).caller
    if not form.is_valid():
        return _page(request, incident_id, ClosingForm(), match=form, status=422)
    number, note = form.cleaned_data["refund"], form.cleaned_data["note"]
    problem = sent(
        click(request, caller),
        f"incidents/{incident_id}/match",
        lambda: match_parcel(incident_id, number, channels=caller.channel_ids, note=note, actor=caller.actor),
    )
    if problem:
        messages.error(request, " ".join([text for _path, text in at_fields(problem)]) or in_words(problem))
        return _page(request, incident_id, ClosingForm(), match=form, status=problem.status)
    messages.success(request, _("The parcel is received there, and the incident is closed."))
    return HttpResponseRedirect(reverse("console:case", args=[number]))


def _page(
    request: HttpRequest, incident_id: int, form: ClosingForm, *, match: MatchForm | None = None, status: int = 200
) -> HttpResponse:
    """With what was typed, also where the form cannot be shown any more."""
    caller = agent(request).caller
    with snapshot():
        found = incident_by_id(incident_id, channels=caller.channel_ids)
        cause, now, is_open = cause_of(found), clock.now(), found.closed_at is None
        problem = lasting(found.kind, cause)
        context = {
            "title": presenter.incident_name(found),
            "state": presenter.incident_state(found),
            "due": rows.due(found, now) if is_open else "",
            "facts": _facts(found),
            "can_close": is_open and may_close(found.kind, cause, caller.actor),
            "why_not": _why_not(found, in_words(problem) if problem else _("Your role may not close it.")),
            "form": form,
            **(_matching(found, match) if is_open and may_match(found.kind, caller.actor) else {}),
            "typed": [("", each["note"].value()) for each in (form, match) if each and each.is_bound],
            "once": uuid.uuid4().hex,
            "here": reverse("console:incident", args=[incident_id]),
        }
        return show(request, "console/incident.html", context, status=status)


def _matching(found: Incident, match: MatchForm | None) -> dict[str, Any]:
    """With what the search of orders finds most by, and the refund where only one comes into question."""
    likely, known = found.data.get("refunds", ()), found.data
    text = next((known[name] for name in ("order", "tracking_number", "reference") if name in known), "")
    return {
        "match": match or MatchForm(initial={"refund": likely[0] if len(likely) == 1 else ""}, auto_id="match-%s"),
        "match_address": reverse("console:match", args=[found.pk]),
        "search_address": f"{reverse('console:orders')}?{urlencode({'q': text})}",
    }


def _why_not(found: Incident, otherwise: str) -> str:
    return _("It is closed: nothing is left to be done.") if found.closed_at else otherwise


def _facts(found: Incident) -> list[tuple[str, Any]]:
    """By label; what is not the case is left out."""
    order, names = found.order, names_of([found.closed_by], has_left=written.has_left)
    closed_by = by(found.closed_by, "", names) if found.closed_by else ""
    told: list[tuple[str, Any]] = [
        (_("Order"), rows.to_order(order) if order else ""),
        (_("Customer"), (order.customer_name or order.customer_email) if order else ""),
        (pgettext("label", "Refund"), rows.to_case(found.refund) if found.refund else ""),
        (_("Amount"), _amount(found)),
        (_("There"), " ".join(found.data[name] for name in ("account", *_NAMES_THERE) if name in found.data)),
        (_("On the parcel"), " · ".join(found.data[name] for name in _ON_THE_PARCEL if name in found.data)),
        (_("May belong to"), ", ".join(found.data.get("refunds", ()))),
        (_("Opened"), written.moment(found.opened_at)),
        (_("Closed"), f"{closed_by}, {written.moment(found.closed_at)}" if found.closed_at else ""),
        (_("Note"), found.note),
    ]
    return [(label, part) for label, part in told if part]


def _amount(found: Incident) -> str:
    """In the currency it is told in, else in that of the order."""
    amount = found.data.get("amount_minor", found.data.get("free_minor"))
    currency = found.data.get("currency") or (found.order.currency if found.order else "")
    return written.amount(amount, currency) if currency and amount is not None else ""
