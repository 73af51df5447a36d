"""A parcel that came without a case: what can be read on it, and, where that leads to nobody, whose it is."""

import uuid
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from orders.errors import Problem
from refunds.actions import Action, permit
from refunds.console.access import agent
from refunds.console.acts import click, sent
from refunds.console.forms import LongText, short_text
from refunds.console.refusals import at_fields, in_words
from refunds.console.site import show
from refunds.selectors.arrivals import Parcel
from refunds.services.acts import Arrival, take_parcel


class ParcelForm(forms.Form):
    """What can be read on it, any of it."""

    tracking_number = short_text(100, gettext_lazy("Tracking number"))
    order = short_text(64, gettext_lazy("Order"))
    phone = short_text(32, gettext_lazy("Phone number"))
    reference = short_text(100, gettext_lazy("Refund, or another reference"))
    note = LongText(label=gettext_lazy("What else is to be seen"), required=False)

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, use_required_attribute=False)
        for field in self.fields.values():
            field.required = False

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not any(cleaned[name] for name in self.fields if name != "note"):
            self.add_error("tracking_number", _("Say what can be read on the parcel."))
        return cleaned


def returns(request: HttpRequest) -> HttpResponse:
    """GET /console/returns/; POST takes the parcel."""
    caller = agent(request).caller
    permit(Action.RECEIVE, caller.actor)
    if request.method != "POST":
        return _page(request, ParcelForm())
    form, taken = ParcelForm(request.POST), list[Arrival]()
    if not form.is_valid():
        return _page(request, form, status=422)
    parcel = Parcel(**form.cleaned_data)
    problem = sent(
        click(request, caller),
        "returns",
        lambda: taken.append(take_parcel(parcel, channels=caller.channel_ids, actor=caller.actor)),
    )
    if problem:
        return _page(request, _with(request, form, problem), status=problem.status)
    messages.success(request, _("The parcel is noted."))
    return HttpResponseRedirect(_where_it_is(taken))


def _where_it_is(taken: list[Arrival]) -> str:
    """One case is opened; a second click, or several, are looked up."""
    [arrival] = taken or [Arrival()]
    if arrival.incident:
        return reverse("console:incident", args=[arrival.incident.pk])
    if len(arrival.refunds) == 1:
        return reverse("console:case", args=[arrival.refunds[0].number])
    return reverse("console:refunds")


def _with(request: HttpRequest, form: ParcelForm, problem: Problem) -> ParcelForm:
    messages.error(request, in_words(problem))
    for path, text in at_fields(problem):
        if path in form.fields:
            form.add_error(path, text)
    return form


def _page(request: HttpRequest, form: ParcelForm, *, status: int = 200) -> HttpResponse:
    context = {"title": _("A parcel without a case"), "form": form, "once": uuid.uuid4().hex, "here": request.path}
    return show(request, "console/returns.html", context, status=status)
