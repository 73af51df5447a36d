"""Asking for a refund in two steps: what and why, then what it comes to. One form makes one request."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from orders.errors import Conflict, Problem
from orders.services.lines import LineId
from orders.snapshot import snapshot
from refunds.evidence import Photo
from refunds.messages.kept import kept_of
from refunds.messages.moved import Money
from refunds.messages.sentences import nothing
from refunds.models import Refund
from refunds.pages.evidence_form import WithPhotosForm
from refunds.pages.forms import RefundForm
from refunds.pages.once import FIELD, new_token, once
from refunds.pages.presenters.destinations import goes_to
from refunds.pages.presenters.offers import instead, place_text, what_happens
from refunds.pages.presenters.sheets import cautions, sheet_rows
from refunds.pages.presenters.terms import Terms
from refunds.pages.presenters.troubles import trouble_text
from refunds.pages.presenters.words import Words
from refunds.pages.showing import Whole, common, whole_at
from refunds.pages.visits import Visit, visited
from refunds.selectors.credit_accounts import credit_accounts
from refunds.services.acts import Target, give_evidence
from refunds.services.requests import LineWish, Part, Preview, RefundWish, preview_refund, request_refunds
from refunds.services.targets import Given
from refunds.states import Goods, MovementState, Remedy, Route, WayBack

#: What step two has shown, so that nothing else is confirmed.
SHOWN = "shown"


class Unmade(Exception):
    """The forms could not be made a request; without a problem their fields say why."""

    def __init__(self, form: RefundForm, photos: WithPhotosForm, problem: Problem | None = None) -> None:
        super().__init__("unmade")
        self.form, self.photos, self.problem = form, photos, problem


@visited
def ask(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Step one; its answer is step two when all is well. `change` comes back from there with what was filled in."""
    whole = whole_at(visit)
    if whole.page.is_closing:
        return _closing(request, visit, whole, status=409 if request.method == "POST" else 200)
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
    form, photos = _form(visit, whole, request.POST), WithPhotosForm(request.POST, request.FILES)
    if not form.is_valid() or not photos.is_valid():
        raise Unmade(form, photos)
    [outcome] = request_refunds([_wish(visit, whole, form)])
    if isinstance(outcome, Problem):
        raise Unmade(form, photos, outcome)
    if any(refund.route != Route.INSTANT for refund in outcome.refunds) and _needs_photos(whole, form):
        photos = WithPhotosForm(request.POST, request.FILES, needed=True)
        if not photos.is_valid():
            raise Unmade(form, photos)
    if _digest((r.route, r.amount_minor, r.remedy) for r in outcome.refunds) != request.POST.get(SHOWN):
        raise Unmade(form, photos, Conflict("changed", "It would come to something else than was shown."))
    _show_photos(outcome.refunds, photos.cleaned_data["photos"], visit)
    return outcome.request


def _needs_photos(whole: Whole, form: RefundForm) -> bool:
    """By the policy's word on the reason he gave, for goods that somebody looks at."""
    needed = {reason.code for reason in whole.terms.policy.reasons if reason.evidence == "required"}
    return form.cleaned_data["reason"] in needed


def _show_photos(refunds: Iterable[Refund], photos: Sequence[Photo], visit: Visit) -> None:
    """To whoever decides: each refund that somebody looks at is decided by itself."""
    for refund in refunds:
        if photos and refund.route != Route.INSTANT:
            on = Target(refund.number, [visit.order.channel_id])
            give_evidence(on, photos, alone=False, actor=visit.actor)


def _unmade(request: HttpRequest, visit: Visit, unmade: Unmade) -> HttpResponse:
    if (whole := whole_at(visit)).page.is_closing:
        return _closing(request, visit, whole, status=409)
    if not unmade.form.is_valid():
        return _step_one(request, visit, unmade.form, status=422)
    if unmade.problem and unmade.problem.code != "changed":
        return _blamed(request, visit, unmade.form, unmade.problem)
    try:
        return _step_two(request, visit, whole_at(visit), unmade.form, again=unmade)
    except Problem as problem:
        return _blamed(request, visit, unmade.form, problem)


def _blamed(request: HttpRequest, visit: Visit, form: RefundForm, problem: Problem) -> HttpResponse:
    """Step one again, the problem at its fields or on top."""
    trouble = "" if form.blame(problem) else trouble_text(problem)
    return _step_one(request, visit, form, trouble=trouble, status=problem.status)


def _form(visit: Visit, whole: Whole, data: Mapping[str, Any] | None = None) -> RefundForm:
    form = RefundForm(whole.offers, home=visit.order.shipping_address, language=visit.language, data=data)
    form.offer_reasons(whole.terms.policy.reasons)
    if whole.may_be_credit:
        form.offer_credit()
    if whole.terms.policy.replacements:
        form.offer_replacement()
    form.offer_ways_back(whole.terms.policy.way_back)
    return form


def _step_one(
    request: HttpRequest, visit: Visit, form: RefundForm, *, trouble: str = "", status: int = 200
) -> HttpResponse:
    values = common(visit) | {"form": form, "trouble": trouble, "languages_at": visit.address("refund")}
    return render(request, "pages/ask.html", values, status=status)


def _closing(request: HttpRequest, visit: Visit, whole: Whole, *, status: int) -> HttpResponse:
    """No form of step one could be anything but refused."""
    values = common(visit) | {"is_closing": True, "is_gone": whole.page.is_gone}
    values["languages_at"] = visit.address("refund")
    return render(request, "pages/ask.html", values, status=status)


def _step_two(
    request: HttpRequest, visit: Visit, whole: Whole, form: RefundForm, *, again: Unmade | None = None
) -> HttpResponse:
    """What it comes to; `again`, with what was wrong when it was confirmed. Raises Problem."""
    trouble = again.problem if again else None
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
    if any(part.route is not Route.INSTANT for part in preview.parts):
        values["photos"] = again.photos if again else WithPhotosForm(needed=_needs_photos(whole, form))
    status = trouble.status if trouble else 422 if again else 200
    return render(request, "pages/preview.html", values, status=status)


def _preview_values(visit: Visit, whole: Whole, form: RefundForm, preview: Preview) -> dict[str, Any]:
    names = {line.line_id: line.name for line in whole.page.lines}
    words, currency = visit.words, preview.currency
    return {
        "parts": [_part_values(part, names, visit, whole.terms, form) for part in preview.parts],
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


def _part_values(part: Part, names: Mapping[str, str], visit: Visit, terms: Terms, form: RefundForm) -> dict[str, Any]:
    entries = part.sheet.to_json()["entries"]
    comes_back = part.route is Route.PICKUP and form.goods_wanted() is Goods.RETURN
    return {
        "what_happens": what_happens(part.route, part.sheet.total_minor, terms, form.way_back()),
        "by_courier": comes_back and form.way_back() is not WayBack.DROP_OFF,
        "boxes": form.boxes() if comes_back else 1,
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
        way_back=form.way_back(),
        boxes=form.boxes(),
    )


def _remedy(form: RefundForm, part: Part) -> str:
    return (Remedy.MONEY if part.route is Route.INSTANT else form.remedy()).value


def _digest(parts: Iterable[tuple[str, int, str]]) -> str:
    return ",".join(f"{route}:{amount_minor}:{remedy}" for route, amount_minor, remedy in parts)
