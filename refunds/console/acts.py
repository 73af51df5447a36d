"""The acts of the console: per action its form, and the service that does it. Who may, and when, is the one table's."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from orders.errors import Conflict, NotFound, Problem, Unavailable
from orders.locks import LockNotHad
from orders.models import Principal
from orders.rest.idempotency import Repeatable, digest_of, once
from orders.roles import Actor
from orders.selectors.access import Caller
from refunds.actions import Action
from refunds.console import forms, line_forms
from refunds.console.forms import ActForm
from refunds.models import Refund
from refunds.services import acts
from refunds.services.acts import Target

MAX_TOKEN = 64
VERSION = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class ConsoleAct:
    """`look` of its button: "primary" for what takes the case on, "grave" for what ends it."""

    action: Action
    do: Callable[[Target, Any, Actor], Refund]
    form: type[ActForm] = ActForm
    look: str = ""

    def made(self, refund: Refund, colleagues: list[Principal], data: Any = None) -> ActForm:
        return self.form(refund, colleagues, prefix=self.action, data=data)


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
    ConsoleAct(Action.RECEIVE, lambda on, form, actor: acts.receive(on, actor=actor), look="primary"),
    ConsoleAct(
        Action.INSPECT,
        lambda on, form, actor: acts.inspect(on, form.findings(), actor=actor),
        line_forms.InspectForm,
        look="primary",
    ),
    ConsoleAct(
        Action.CONFIRM_STOP,
        lambda on, form, actor: acts.confirm_stop(on, stopped=form.cleaned_data["stopped"] == "yes", actor=actor),
        forms.StopForm,
        look="primary",
    ),
    ConsoleAct(Action.RETRY, lambda on, form, actor: acts.retry(on, actor=actor), look="primary"),
    ConsoleAct(
        Action.CLOSE,
        lambda on, form, actor: acts.close(on, note=form.cleaned_data["note"], actor=actor),
        forms.NoteForm,
        look="grave",
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
    ConsoleAct(
        Action.SHIP_BACK,
        lambda on, form, actor: acts.ship_back(on, form.parcel(), actor=actor),
        forms.ShipBackForm,
    ),
    ConsoleAct(Action.ASSIGN, lambda on, form, actor: acts.assign(on, to=form.to(), actor=actor), forms.AssignForm),
    ConsoleAct(
        Action.CANCEL,
        lambda on, form, actor: acts.cancel_refund(
            number=on.number, channels=on.channels, actor=actor, if_match=on.if_match
        ),
        look="grave",
    ),
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
    `version` is the resource version of the refund on that page."""

    caller: Caller
    token: str
    version: str
    said: str

    @property
    def if_match(self) -> int | None:
        return int(self.version) if VERSION.fullmatch(self.version) else None


def click(request: HttpRequest, caller: Caller) -> Click:
    said = request.POST.copy()
    said.pop("csrfmiddlewaretoken", None)
    token = said.get("once", "")[:MAX_TOKEN]
    return Click(caller, token, said.get("version", ""), digest_of(said.urlencode()))


def attempt(act: ConsoleAct, form: ActForm, click: Click) -> Problem | None:
    """Do the act with a valid form, once however often it is clicked; what the services say against it."""
    on = Target(form.refund.number, click.caller.channel_ids, click.if_match)
    try:
        _once(click, f"{on.number}/{act.action}", lambda: act.do(on, form, click.caller.actor))
    except LockNotHad:
        return Unavailable("busy", "The order is being changed by somebody else: send this again.")
    except Problem as problem:
        return None if _is_running(problem) else problem
    return None


def _once(click: Click, path: str, do: Callable[[], Refund]) -> None:
    def work() -> HttpResponse:
        do()
        return HttpResponse()

    if click.token:
        once(Repeatable(click.caller.principal_id, "POST", path, f"console:{click.token}", click.said), work)
    else:
        do()


def _is_running(problem: Problem) -> bool:
    """The second of two clicks, while the first is being done."""
    return isinstance(problem, Conflict) and problem.code == "idempotency_key_in_use"
