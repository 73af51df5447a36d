"""The acts of the console: per action its form, and the service that does it. Who may, and when, is the one table's."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from orders.errors import NotFound, Problem, Unavailable
from orders.locks import LockNotHad
from orders.models import Principal
from orders.rest.idempotency import Repeatable, digest_of_form, once_in_turn
from orders.rest.problems import problem_response
from orders.roles import Actor
from orders.selectors.access import Caller
from refunds.actions import Action, hindrance
from refunds.console import forms, line_forms, money_forms, photos_form, review_forms, target_forms
from refunds.console.forms import ActForm
from refunds.models import Refund
from refunds.selectors.allowed import position_of
from refunds.selectors.terms import other_terms, terms
from refunds.services import acts
from refunds.services.acts import Target
from refunds.states import Remedy

SEQ = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class ConsoleAct:
    """`look` of its button: "primary" for what takes the case on, "grave" for what ends it."""

    action: Action
    do: Callable[[Target, Any, Actor], Refund | Problem]
    form: type[ActForm] = ActForm
    look: str = ""

    def made(self, refund: Refund, colleagues: list[Principal], data: Any = None, files: Any = None) -> ActForm:
        return self.form(refund, colleagues, prefix=self.action, data=data, files=files)


ACTS = (
    ConsoleAct(
        Action.APPROVE,
        lambda on, form, actor: acts.approve(on, form.approval(), actor=actor),
        line_forms.ApproveForm,
        look="primary",
    ),
    ConsoleAct(
        Action.REJECT,
        lambda on, form, actor: acts.reject(on, reason=form.cleaned_data["reason"], actor=actor),
        forms.ReasonForm,
        look="grave",
    ),
    ConsoleAct(Action.SECOND_APPROVE, lambda on, form, actor: acts.second_approve(on, actor=actor), look="primary"),
    ConsoleAct(
        Action.BYPASS_SECOND,
        lambda on, form, actor: acts.bypass_second(on, reason=form.cleaned_data["reason"], actor=actor),
        review_forms.BypassForm,
        look="grave",
    ),
    ConsoleAct(
        Action.OFFER,
        lambda on, form, actor: acts.offer(on, form.offered(), actor=actor),
        review_forms.OfferForm,
    ),
    ConsoleAct(
        Action.ASK,
        lambda on, form, actor: acts.ask(on, text=form.cleaned_data["text"], actor=actor),
        review_forms.AskForm,
    ),
    ConsoleAct(Action.ACCEPT_OFFER, lambda on, form, actor: acts.accept_offer(on, actor=actor)),
    ConsoleAct(Action.DECLINE_OFFER, lambda on, form, actor: acts.decline_offer(on, actor=actor)),
    ConsoleAct(
        Action.WRITE,
        lambda on, form, actor: acts.write(on, text=form.cleaned_data["text"], actor=actor),
        review_forms.WriteForm,
    ),
    ConsoleAct(
        Action.CONTEST,
        lambda on, form, actor: acts.contest(on, note=form.cleaned_data["note"], actor=actor),
        review_forms.ContestForm,
    ),
    ConsoleAct(
        Action.REOPEN,
        lambda on, form, actor: acts.reopen(on, note=form.cleaned_data["note"], actor=actor),
        review_forms.ReopenForm,
    ),
    ConsoleAct(
        Action.EVIDENCE,
        lambda on, form, actor: acts.give_evidence(on, form.cleaned_data["photos"], actor=actor),
        photos_form.PhotosForm,
    ),
    ConsoleAct(Action.RECEIVE, lambda on, form, actor: acts.receive(on, actor=actor), look="primary"),
    ConsoleAct(
        Action.DOUBT_PARCEL,
        lambda on, form, actor: acts.doubt_parcel(on, **form.cleaned_data, actor=actor),
        forms.DoubtForm,
    ),
    ConsoleAct(
        Action.INSPECT,
        lambda on, form, actor: acts.inspect(on, form.findings(), more=form.cleaned_data["more"], actor=actor),
        line_forms.InspectForm,
        look="primary",
    ),
    ConsoleAct(
        Action.DISPOSE,
        lambda on, form, actor: acts.dispose(on, form.disposed(), actor=actor),
        line_forms.DisposeForm,
    ),
    ConsoleAct(
        Action.CONFIRM_STOP,
        lambda on, form, actor: acts.confirm_stop(on, stopped=form.cleaned_data["stopped"] == "yes", actor=actor),
        forms.StopForm,
        look="primary",
    ),
    ConsoleAct(
        Action.PROVE_DELIVERY,
        lambda on, form, actor: acts.prove_delivery(on, **form.said(), actor=actor),
        review_forms.ProofForm,
    ),
    ConsoleAct(Action.RETRY, lambda on, form, actor: acts.retry(on, actor=actor), look="primary"),
    ConsoleAct(
        Action.RECORD_EXTERNAL,
        lambda on, form, actor: acts.record_external(on, form.paid(), actor=actor),
        money_forms.ExternalForm,
    ),
    ConsoleAct(
        Action.SET_TARGET,
        lambda on, form, actor: acts.set_target(on, form.elsewhere(), actor=actor),
        target_forms.SetTargetForm,
    ),
    ConsoleAct(
        Action.CONFIRM_TARGET,
        lambda on, form, actor: acts.confirm_target(on, code=form.cleaned_data["code"], actor=actor),
        target_forms.CodeForm,
        look="primary",
    ),
    ConsoleAct(
        Action.CLOSE,
        lambda on, form, actor: acts.close(on, note=form.cleaned_data["note"], actor=actor),
        forms.NoteForm,
        look="grave",
    ),
    ConsoleAct(
        Action.REPLACE,
        lambda on, form, actor: acts.replace(on, Remedy(form.cleaned_data["remedy"]), actor=actor),
        review_forms.ReplaceForm,
    ),
    ConsoleAct(Action.RESUME, lambda on, form, actor: acts.resume(on, actor=actor), look="primary"),
    ConsoleAct(
        Action.HOLD,
        lambda on, form, actor: acts.hold(on, until=form.cleaned_data["until"], actor=actor),
        forms.HoldForm,
    ),
    ConsoleAct(
        Action.REBOOK_PICKUP,
        lambda on, form, actor: acts.rebook_pickup(
            on, slot_from=form.cleaned_data["starts_at"], slot_to=form.cleaned_data["ends_at"], actor=actor
        ),
        forms.RebookForm,
    ),
    ConsoleAct(Action.DROP_OFF, lambda on, form, actor: acts.drop_off(on, actor=actor)),
    ConsoleAct(Action.CONFIRM_ARRIVAL, lambda on, form, actor: acts.confirm_arrival(on, actor=actor)),
    ConsoleAct(
        Action.SHIP_BACK,
        lambda on, form, actor: acts.ship_back(on, form.parcel(), actor=actor),
        forms.ShipBackForm,
    ),
    ConsoleAct(Action.ASSIGN, lambda on, form, actor: acts.assign(on, to=form.to(), actor=actor), forms.AssignForm),
    ConsoleAct(Action.CANCEL, lambda on, form, actor: acts.cancel_refund(on, actor=actor), look="grave"),
)
ACT_OF: dict[str, ConsoleAct] = {act.action: act for act in ACTS}


def act_named(name: str) -> ConsoleAct:
    """NotFound for what is no act."""
    if name not in ACT_OF:
        raise NotFound("not_found", _("There is nothing at this address."))
    return ACT_OF[name]


@dataclass(frozen=True, slots=True)
class Click:
    """One sending of a form. `token` is drawn anew whenever the page is shown: the same again is a second click.
    `seen` is what the page showed the refund to be (`seen_by`)."""

    caller: Caller
    token: str
    seen: str
    said: str

    @property
    def terms(self) -> str:
        return self.seen.partition(" ")[2]

    @property
    def seq(self) -> int:
        """Of the last event that the page told of."""
        seq = self.seen.partition(" ")[0]
        return int(seq) if SEQ.fullmatch(seq) else 0


def seen_by(action: Action, refund: Refund) -> str:
    """What a form for this act carries of the refund as it is shown, for a `Click`."""
    return f"{refund.event_seq} {terms(action, refund, refund.gateway_refunds.all())}"


def refusal(act: ConsoleAct, refund: Refund, click: Click) -> Problem | None:
    """What stands against the act whatever is typed into its form."""
    stale = other_terms(act.action, refund, refund.gateway_refunds.all(), seen=click.terms)
    return stale or hindrance(act.action, position_of(refund), click.caller.actor)


def click(request: HttpRequest, caller: Caller) -> Click:
    said = request.POST
    return Click(caller, said.get("once", ""), said.get("seen", ""), digest_of_form(request))


def attempt(act: ConsoleAct, form: ActForm, click: Click) -> Problem | None:
    """Do the act with a valid form; what stands against it."""
    on = Target(form.refund.number, click.caller.channel_ids, terms=click.terms)
    return sent(click, f"{on.number}/{act.action}", lambda: act.do(on, form, click.caller.actor))


def sent(click: Click, path: str, do: Callable[[], object]) -> Problem | None:
    """Do what was clicked at `path`, once however often it was; what the services say against it."""
    try:
        return _once(click, path, do)
    except LockNotHad:
        return Unavailable("busy", "The order is being changed by somebody else: send this again.")
    except Problem as problem:
        return problem


def _once(click: Click, path: str, do: Callable[[], object]) -> Problem | None:
    """A problem that `do` returns is committed with what led to it."""
    said: list[Problem] = []

    def work() -> HttpResponse:
        done = do()
        if not isinstance(done, Problem):
            return HttpResponse()
        said.append(done)
        return problem_response(done)

    once_in_turn(Repeatable(click.caller.principal_id, "POST", f"/console/{path}", click.token, click.said), work)
    return said[0] if said else None
