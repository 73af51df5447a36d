"""What a customer can do with a running refund: cancel it, answer an offer or a question, contest what was
refused, say that he has posted the goods, move the courier, or say where else the money goes."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from orders import clock
from orders.errors import Conflict, Problem
from refunds.actions import Action
from refunds.destinations import Instrument
from refunds.pages.asking import see_other
from refunds.pages.evidence_form import EvidenceForm
from refunds.pages.forms import CodeForm, ContestForm, RebookForm, ShipBackForm, SlotForm, WriteForm
from refunds.pages.once import once
from refunds.pages.presenters.troubles import OF_CODES, field_text, trouble_text
from refunds.pages.showing import Wrong, request_at, show
from refunds.pages.visits import Visit, visited
from refunds.services import acts
from refunds.services.acts import Elsewhere, Target


class NoForm(forms.Form):
    """Nothing is to be said."""


def _accept_offer(on: Target, form: forms.Form, visit: Visit) -> None:
    acts.accept_offer(on, actor=visit.actor)


def _decline_offer(on: Target, form: forms.Form, visit: Visit) -> None:
    acts.decline_offer(on, actor=visit.actor)


def _write(on: Target, form: forms.Form, visit: Visit) -> None:
    acts.write(on, text=form.cleaned_data["text"], actor=visit.actor)


def _contest(on: Target, form: forms.Form, visit: Visit) -> None:
    looked_at = acts.contest(on, note=form.cleaned_data["note"], actor=visit.actor)
    if photos := form.cleaned_data["photos"]:
        acts.give_evidence(Target(looked_at.number, on.channels), photos, alone=False, actor=visit.actor)


def _cancel(on: Target, form: forms.Form, visit: Visit) -> None:
    acts.cancel_refund(on, actor=visit.actor)


def _ship_back(on: Target, form: forms.Form, visit: Visit) -> None:
    acts.ship_back(on, acts.Parcel(**form.cleaned_data), actor=visit.actor)


def _rebook(on: Target, form: forms.Form, visit: Visit) -> None:
    assert isinstance(form, RebookForm | SlotForm)
    slot_from, slot_to = form.slot_of(visit.zone)
    acts.rebook_pickup(on, slot_from=slot_from, slot_to=slot_to, actor=visit.actor)


def _drop_off(on: Target, form: forms.Form, visit: Visit) -> None:
    acts.drop_off(on, actor=visit.actor)


def _confirm_arrival(on: Target, form: forms.Form, visit: Visit) -> None:
    acts.confirm_arrival(on, actor=visit.actor)


def _set_target(on: Target, form: forms.Form, visit: Visit) -> None:
    acts.set_target(on, Elsewhere(Instrument.STORE_CREDIT), actor=visit.actor)


def _confirm_target(on: Target, form: forms.Form, visit: Visit) -> Problem | None:
    done = acts.confirm_target(on, code=form.cleaned_data["code"], actor=visit.actor)
    return done if isinstance(done, Problem) else None


def _give_evidence(on: Target, form: forms.Form, visit: Visit) -> None:
    acts.give_evidence(on, form.cleaned_data["photos"], actor=visit.actor)


#: A problem that is returned is told once what led to it is committed.
DO: dict[str, Callable[[Target, forms.Form, Visit], Problem | None]] = {
    Action.SET_TARGET: _set_target,
    Action.CONFIRM_TARGET: _confirm_target,
    Action.ACCEPT_OFFER: _accept_offer,
    Action.DECLINE_OFFER: _decline_offer,
    Action.WRITE: _write,
    Action.CONTEST: _contest,
    Action.CANCEL: _cancel,
    Action.SHIP_BACK: _ship_back,
    Action.REBOOK_PICKUP: _rebook,
    Action.DROP_OFF: _drop_off,
    Action.CONFIRM_ARRIVAL: _confirm_arrival,
    Action.EVIDENCE: _give_evidence,
}
#: The form's field that an error of the services is about.
FIELDS = {"slot": "day", "tracking_number": "tracking_number", "text": "text", "note": "note"}
_FORMS: dict[str, Callable[[Any], forms.Form]] = {
    Action.SHIP_BACK: ShipBackForm,
    Action.CONFIRM_TARGET: CodeForm,
    Action.WRITE: WriteForm,
}


@visited
def act(request: HttpRequest, visit: Visit, number: str, action: str) -> HttpResponse:
    """Once per form. Who may, and when, is decided by the services, from the one table (`refunds.actions`)."""
    asked = request_at(visit, number)
    if request.method != "POST":
        return HttpResponseRedirect(visit.address("requests", asked.number))
    form = _form(action, request, visit)
    if isinstance(form, SlotForm) and not form.is_valid():
        return HttpResponseRedirect(visit.address("refunds", number, "slots"))
    if not form.is_valid():
        return show(request, visit, asked, Wrong(number, action, form))
    on = Target(number, [visit.order.channel_id])
    try:
        _tell(once(request, visit, f"{number}/{action}", lambda: _done(on, action, form, visit)))
    except Problem as problem:
        return show(request, visit, request_at(visit, number), _refused(number, action, form, problem))
    return see_other(visit.address("requests", asked.number))


def _form(action: str, request: HttpRequest, visit: Visit) -> forms.Form:
    data = request.POST
    if action == Action.EVIDENCE:
        return EvidenceForm(data, request.FILES)
    if action == Action.REBOOK_PICKUP and "slot" in data:
        return SlotForm(data)
    if action == Action.REBOOK_PICKUP:
        return RebookForm(data, today=clock.now().astimezone(visit.zone).date())
    if action == Action.CONTEST:
        return ContestForm(data, request.FILES)
    return _FORMS.get(action, NoForm)(data)


def _done(on: Target, action: str, form: forms.Form, visit: Visit) -> dict[str, Any]:
    problem = DO[action](on, form, visit)
    return {"refused": problem.code, "detail": problem.detail, "facts": problem.extra} if problem else {"done": action}


def _tell(said: dict[str, Any]) -> None:
    """Raise what was kept of a problem."""
    if "refused" in said:
        raise Conflict(said["refused"], said["detail"], **said["facts"])


def _refused(number: str, action: str, form: forms.Form, problem: Problem) -> Wrong:
    """The problem at the form's field it is about, or on top; of a code at both, for the form is far below."""
    if isinstance(form, CodeForm) and problem.code in OF_CODES:
        form.add_error("code", trouble_text(problem))
        return Wrong(number, action, form, problem.status, trouble_text(problem))
    at_fields = [(FIELDS[e.field], e.code) for e in problem.errors if FIELDS.get(e.field) in form.fields]
    for field, code in at_fields:
        form.add_error(field, field_text(code, problem))
    return Wrong(number, action, form, problem.status, "" if at_fields else trouble_text(problem))
