"""The case page: all about one refund, and the buttons of what this agent may do with it now."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from orders import clock
from orders.errors import Problem, Stale
from orders.snapshot import snapshot
from refunds.actions import Action, permit
from refunds.console import presenter, written
from refunds.console.access import agent
from refunds.console.acts import ACTS, Click, ConsoleAct, act_named, attempt, click, refusal, seen_by
from refunds.console.forms import ActForm, AssignForm
from refunds.console.refusals import at_fields, in_words
from refunds.console.site import show
from refunds.console.waiting import waits
from refunds.console.words import ACTIONS
from refunds.selectors.allowed import allowed_actions
from refunds.selectors.desk import CaseFile, case_file
from refunds.selectors.evidence import photos_of


@dataclass(frozen=True, slots=True)
class Failed:
    """A click that did not do it; without a `problem` something typed is wrong."""

    act: ConsoleAct
    said: Click
    problem: Problem | None

    @property
    def status(self) -> int:
        return self.problem.status if self.problem else 422


@dataclass(frozen=True, slots=True)
class Again:
    """A form that is shown again; `since`: the event after which things have happened that it did not go by."""

    action: Action
    form: ActForm
    since: int


def case(request: HttpRequest, number: str) -> HttpResponse:
    """GET /console/refunds/{number}/"""
    caller = agent(request).caller
    with snapshot():
        return _page(request, case_file(number, channels=caller.channel_ids, has_left=written.has_left))


def act(request: HttpRequest, number: str, action: str) -> HttpResponse:
    """POST /console/refunds/{number}/{action}/; whoever comes here otherwise is shown the case."""
    caller, chosen = agent(request).caller, act_named(action)
    there = HttpResponseRedirect(reverse("console:case", args=[number]))
    if request.method != "POST":
        return there
    permit(chosen.action, caller.actor)
    file = case_file(number, channels=caller.channel_ids, has_left=written.has_left)
    form, said = chosen.made(file.refund, file.colleagues, request.POST, request.FILES), click(request, caller)
    problem = attempt(chosen, form, said) if form.is_valid() else refusal(chosen, file.refund, said)
    if form.errors or problem:
        return _again(request, number, Failed(chosen, said, problem))
    messages.success(request, _("Done: %(action)s.") % {"action": ACTIONS[chosen.action]})
    return there


def _again(request: HttpRequest, number: str, failed: Failed) -> HttpResponse:
    """The page as it is now, with what was typed, what is wrong with it, and what has happened if that is why."""
    with snapshot():
        file = case_file(number, channels=failed.said.caller.channel_ids, has_left=written.has_left)
        form = failed.act.made(file.refund, file.colleagues, request.POST, request.FILES)
        form.full_clean()
        if failed.problem:
            _show(request, form, failed.problem)
        since = failed.said.seq if isinstance(failed.problem, Stale) else file.refund.event_seq
        return _page(request, file, Again(failed.act.action, form, since), status=failed.status)


def _show(request: HttpRequest, form: ActForm, problem: Problem) -> None:
    """At the fields it speaks of, and at the top of the page."""
    messages.error(request, in_words(problem))
    for path, text in at_fields(problem):
        if name := form.field_at(path):
            form.add_error(name, text)


def _page(request: HttpRequest, file: CaseFile, again: Again | None = None, *, status: int = 200) -> HttpResponse:
    caller, now, refund = agent(request).caller, clock.now(), file.refund
    order = refund.order
    allowed = allowed_actions(refund, caller.actor)
    context = {
        "title": refund.number,
        "refund": refund,
        "customer": list(filter(None, (order.customer_name, order.customer_email, order.customer_phone))),
        "amount": written.amount(refund.amount_minor, refund.currency),
        "state": presenter.state_of(refund),
        "deadline": presenter.deadline_of(refund, now),
        "facts": presenter.facts(file, now),
        "tables": presenter.tables(file, now),
        "photos": photos_of(refund.pk),
        "trail": presenter.trail(file),
        "siblings": [(other.number, presenter.state_of(other)) for other in file.siblings],
        "doors": [_door(chosen, file, again) for chosen in ACTS if chosen.action in allowed],
        "waits": waits(file, allowed),
        "since": presenter.trail(file, after=again.since) if again else [],
        "typed": list(again.form.typed()) if again and again.action not in allowed else [],
        "is_own": refund.requested_by == caller.actor.reference,
        "takes": Action.ASSIGN in allowed and caller.principal_id,
        "once": uuid.uuid4().hex,
    }
    return show(request, "console/case.html", context, status=status)


def _door(chosen: ConsoleAct, file: CaseFile, again: Again | None) -> dict[str, Any]:
    """A button; one with something to fill in opens its form."""
    failed = again.form if again and again.action == chosen.action else None
    form = failed or chosen.made(file.refund, file.colleagues)
    return {
        "action": chosen.action,
        "label": ACTIONS[chosen.action],
        "form": form,
        "is_plain": not form.fields,
        "is_assign": isinstance(form, AssignForm),
        "is_open": failed is not None,
        "look": chosen.look,
        "seen": seen_by(chosen.action, file.refund),
        "address": reverse("console:act", args=[file.refund.number, chosen.action]),
    }
