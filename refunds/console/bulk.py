"""Approving or rejecting many at once: each by itself, with a line that says what became of it."""

import uuid
from collections import Counter
from dataclasses import dataclass, replace
from time import monotonic

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from orders.errors import Invalid, NotFound, Problem, Stale
from orders.rest.idempotency import FORM_TOKEN
from refunds.actions import Action, permit
from refunds.console import written
from refunds.console.access import agent
from refunds.console.acts import ACT_OF, Click, ConsoleAct, attempt, click
from refunds.console.forms import ActForm
from refunds.console.refusals import in_words
from refunds.console.site import show
from refunds.console.words import ACTIONS
from refunds.models import Refund
from refunds.selectors.refunds import refund_by_number, refunds_numbered
from refunds.services import acts
from refunds.services.acts import Approval

#: Two pages of the list: each is an act of its own, and the agent waits for all of them.
MOST = 50
#: Who waits longer has long left; each that another writer holds takes a few seconds.
MOST_SECONDS = 20
#: In bulk all of each is approved; nobody is asked for units.
IN_BULK = {
    Action.APPROVE: ConsoleAct(Action.APPROVE, lambda on, form, actor: acts.approve(on, Approval(), actor=actor)),
    Action.REJECT: ACT_OF[Action.REJECT],
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """One ticked refund, as the list showed it (`seen_by`)."""

    number: str
    seen: str


@dataclass(frozen=True, slots=True)
class Result:
    """`address`: of the case; empty where there is none."""

    number: str
    is_done: bool
    text: str
    address: str = ""


def bulk(request: HttpRequest) -> HttpResponse:
    """POST /console/refunds/bulk/: `refund` (several: number, what was seen of it), `action`, a reason to reject."""
    many = _chosen(request)
    if request.method != "POST" or not many:
        return HttpResponseRedirect(reverse("console:refunds"))
    act, caller = _act(request), agent(request).caller
    permit(act.action, caller.actor)
    is_asked, said = "once" in request.POST, click(request, caller)
    if not (FORM_TOKEN.fullmatch(said.token) and _form(act, request).is_valid()):
        return _ask(request, act, many, again=is_asked)
    results = _results(request, act, many, said)
    context = {"title": ACTIONS[act.action], "results": results, "done": sum(result.is_done for result in results)}
    return show(request, "console/bulk_done.html", context)


def _act(request: HttpRequest) -> ConsoleAct:
    found = next((act for name, act in IN_BULK.items() if name == request.POST.get("action")), None)
    if found is None:
        raise NotFound("not_found", "Nothing else is done in bulk.")
    return found


def _chosen(request: HttpRequest) -> list[Chosen]:
    """Each refund once, however often it was ticked."""
    ticked = (Chosen(*value.partition(" ")[::2]) for value in request.POST.getlist("refund"))
    many = list({one.number.casefold(): one for one in ticked if one.number}.values())
    if len(many) > MOST:
        text = _("Nothing was done: these are more than %(most)s at once.") % {"most": MOST}
        raise Invalid.of("refund", "too_many", text)
    return many


def _form(act: ConsoleAct, request: HttpRequest) -> ActForm:
    """The same for all: it asks nothing that depends on the refund."""
    return act.made(Refund(), [], request.POST)


def _ask(request: HttpRequest, act: ConsoleAct, many: list[Chosen], *, again: bool) -> HttpResponse:
    """Asks once more before so much is done, and for the reason where there has to be one."""
    form = _form(act, request) if again else act.made(Refund(), [])
    found = refunds_numbered([one.number for one in many], channels=agent(request).caller.channel_ids)
    about = {refund.number.casefold(): _about(refund) for refund in found}
    context = {
        "title": ACTIONS[act.action],
        "action": act.action,
        "form": form,
        "many": [(one, about.get(one.number.casefold(), "")) for one in many],
        "total": _total(found),
        "once": uuid.uuid4().hex,
    }
    return show(request, "console/bulk.html", context, status=422 if again else 200)


def _about(refund: Refund) -> str:
    customer = refund.order.customer_name or refund.order.customer_email
    return " · ".join(filter(None, [customer, written.amount(refund.amount_minor, refund.currency)]))


def _total(found: list[Refund]) -> str:
    """In each currency."""
    sums: Counter[str] = Counter()
    for refund in found:
        sums[refund.currency] += refund.amount_minor
    return ", ".join(written.amount(minor, currency) for currency, minor in sums.items())


def _results(request: HttpRequest, act: ConsoleAct, many: list[Chosen], said: Click) -> list[Result]:
    until, late = monotonic() + MOST_SECONDS, _("There was no time left for it: send it again.")
    return [
        _result(request, act, one, said) if monotonic() < until else Result(one.number, False, late) for one in many
    ]


def _result(request: HttpRequest, act: ConsoleAct, one: Chosen, said: Click) -> Result:
    try:
        refund = refund_by_number(one.number, channels=said.caller.channel_ids)
    except Problem as problem:
        return Result(one.number, False, in_words(problem))
    form = act.made(refund, [], request.POST)
    form.full_clean()
    refused = attempt(act, form, replace(said, seen=one.seen))
    address = reverse("console:case", args=[refund.number])
    return Result(refund.number, refused is None, _why(refused) if refused else "", address)


def _why(refused: Problem) -> str:
    """Nothing was typed that could be looked at again."""
    if isinstance(refused, Stale):
        return _("It has changed since the list was shown.")
    return in_words(refused)
