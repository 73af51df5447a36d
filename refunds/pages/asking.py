"""Asking for a refund in two steps: what and why, then what it comes to. One form makes one request."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from orders.errors import Conflict, Problem
from orders.services.lines import LineId
from orders.snapshot import snapshot
from refunds.messages.kept import kept_of
from refunds.messages.moved import Money
from refunds.messages.sentences import nothing
from refunds.pages.forms import RefundForm
from refunds.pages.once import FIELD, new_token, once
from refunds.pages.presenters.destinations import goes_to
from refunds.pages.presenters.offers import Terms, instead, place_text, what_happens
from refunds.pages.presenters.sheets import cautions, sheet_rows
from refunds.pages.presenters.troubles import trouble_text
from refunds.pages.presenters.words import Words
from refunds.pages.showing import Whole, common, whole_at
from refunds.pages.visits import Visit, visited
from refunds.selectors.credit_accounts import credit_accounts
from refunds.services.requests import LineWish, Part, Preview, RefundWish, preview_refund, request_refunds
from refunds.services.targets import Given
from refunds.states import MovementState, Remedy, Route

#: What step two has shown, so that nothing else is confirmed.
SHOWN = "shown"


class Unmade(Exception):
    """The form could not be made a request; without a problem its fields say why."""

    def __init__(self, form: RefundForm, problem: Problem | None = None) -> None:
        super().__init__("unmade")
        self.form, self.problem = form, problem


@visited
def ask(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Step one; its answer is step two when all is well. `change` comes back from there with what was filled in."""
    whole = whole_at(visit)
    if request.method != "POST":
        return _step_one(request, visit, _form(visit, whole))
    form = _form(visit, whole, request.POST)
    if "change" in request.POST:
        return _step_one(request, visit, form)
    if not form.is_valid():
        return _step_one(request, visit, form, status=422)
    try:
        return _step_two(request, visit, whole, form)
    except Problem as problem:
        return _blamed(request, visit, form, problem)


@visited
def confirm(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Make the request. The same form again leads to the same request."""
    if request.method != "POST":
        return HttpResponseRedirect(visit.address("refund"))
    try:
        made = once(request, visit, "refund", lambda: {"request": _requested(request, visit)})
    except Unmade as unmade:
        return _unmade(request, visit, unmade)
    return see_other(visit.address("requests", made["request"]))


def see_other(address: str) -> HttpResponse:
    return HttpResponse(status=303, headers={"Location": address})


def _requested(request: HttpRequest, visit: Visit) -> str:
    """The number of the request made, as it was shown. Raises Unmade."""
    whole = whole_at(visit)
    form = _form(visit, whole, request.POST)
    if not form.is_valid():
        raise Unmade(form)
    [outcome] = request_refunds([_wish(visit, whole, form)])
    if isinstance(outcome, Problem):
        raise Unmade(form, outcome)
    if _digest((r.route, r.amount_minor, r.remedy) for r in outcome.refunds) != request.POST.get(SHOWN):
        raise Unmade(form, Conflict("changed", "It would come to something else than was shown."))
    return outcome.request


def _unmade(request: HttpRequest, visit: Visit, unmade: Unmade) -> HttpResponse:
    if unmade.problem is None:
        return _step_one(request, visit, unmade.form, status=422)
    if unmade.problem.code != "changed":
        return _blamed(request, visit, unmade.form, unmade.problem)
    try:
        return _step_two(request, visit, whole_at(visit), unmade.form, trouble=unmade.problem)
    except Problem as problem:
        return _blamed(request, visit, unmade.form, problem)


def _blamed(request: HttpRequest, visit: Visit, form: RefundForm, problem: Problem) -> HttpResponse:
    """Step one again, the problem at its fields or on top."""
    trouble = "" if form.blame(problem) else trouble_text(problem)
    return _step_one(request, visit, form, trouble=trouble, status=problem.status)


def _form(visit: Visit, whole: Whole, data: Mapping[str, Any] | None = None) -> RefundForm:
    form = RefundForm(whole.offers, home=visit.order.shipping_address, language=visit.language, data=data)
    if whole.may_be_credit:
        form.offer_credit()
    if whole.terms.policy.replacements:
        form.offer_replacement()
    return form


def _step_one(
    request: HttpRequest, visit: Visit, form: RefundForm, *, trouble: str = "", status: int = 200
) -> HttpResponse:
    values = common(visit) | {"form": form, "trouble": trouble, "languages_at": visit.address("refund")}
    return render(request, "pages/ask.html", values, status=status)


def _step_two(
    request: HttpRequest, visit: Visit, whole: Whole, form: RefundForm, *, trouble: Problem | None = None
) -> HttpResponse:
    """What it comes to. Raises Problem."""
    with snapshot():
        preview = preview_refund(_wish(visit, whole, form))
    values = common(visit) | _preview_values(visit, whole, form, preview) | _kept(form, visit.words)
    values |= {
        "token_field": FIELD,
        "token": new_token(),
        "shown": _digest((p.route.value, p.sheet.total_minor, _remedy(form, p)) for p in preview.parts),
        "trouble": trouble_text(trouble) if trouble else "",
        "languages_at": visit.address("refund"),
    }
    return render(request, "pages/preview.html", values, status=trouble.status if trouble else 200)


def _preview_values(visit: Visit, whole: Whole, form: RefundForm, preview: Preview) -> dict[str, Any]:
    names = {line.line_id: line.name for line in whole.page.lines}
    words, currency = visit.words, preview.currency
    return {
        "parts": [_part_values(part, names, visit, whole.terms) for part in preview.parts],
        "instead": instead(form.remedy(), [part.route for part in preview.parts]),
        "total": words.amount(preview.total_minor, currency),
        "nothing": _why_nothing(preview, words),
        "payments": goes_to(map(_given, preview.payments), currency, words),
    }


def _why_nothing(preview: Preview, words: Words) -> str:
    if preview.total_minor:
        return ""
    kept = [one for part in preview.parts for one in kept_of(part.sheet.to_json()["entries"])]
    return nothing(kept, lambda minor: words.amount(minor, preview.currency))


def _given(given: Given) -> Money:
    is_credit = bool(given.target) or given.account in credit_accounts()
    return Money(given.reference, given.amount_minor, MovementState.INTENDED, is_credit=is_credit)


def _part_values(part: Part, names: Mapping[str, str], visit: Visit, terms: Terms) -> dict[str, Any]:
    entries = part.sheet.to_json()["entries"]
    return {
        "what_happens": what_happens(part.route, part.sheet.total_minor, terms),
        "by_courier": part.route is Route.PICKUP,
        "units": [(units.quantity, names[units.line_id], place_text(units.place)) for units in part.units],
        "sheet": sheet_rows(entries, terms.currency, visit.words),
        "cautions": cautions(entries, terms.currency, visit.words),
        "amount": visit.words.amount(part.sheet.total_minor, terms.currency),
    }


def _kept(form: RefundForm, words: Words) -> dict[str, Any]:
    """Everything that was filled in, to be carried into the confirmation and back."""
    kept = [(name, form.data[name]) for name in form.fields if form.data.get(name)]
    return {"kept": kept, "fetched_at": words.address(form.pickup_address() or form.home)}


def _wish(visit: Visit, whole: Whole, form: RefundForm) -> RefundWish:
    ids = {line.pk: line.line_id for line in whole.page.lines}
    lines = (
        LineWish(LineId(ids[pk]), quantity, f"lines[{index}]") for index, (pk, quantity) in enumerate(form.chosen())
    )
    return RefundWish(
        channel_id=visit.order.channel_id,
        order_number=visit.order.number,
        actor=visit.actor,
        lines=tuple(lines),
        reason_code=form.cleaned_data["reason"],
        goods=form.goods_wanted(),
        note=form.cleaned_data["note"],
        pickup_address=form.pickup_address(),
        refund_to=form.refund_to(),
        remedy=form.remedy(),
    )


def _remedy(form: RefundForm, part: Part) -> str:
    return (Remedy.MONEY if part.route is Route.INSTANT else form.remedy()).value


def _digest(parts: Iterable[tuple[str, int, str]]) -> str:
    return ",".join(f"{route}:{amount_minor}:{remedy}" for route, amount_minor, remedy in parts)
