"""Asking for money of an order at the console: a form, then what it comes to, then the request. One click makes one."""

import uuid
from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from orders.errors import Conflict, NotFound, Problem
from orders.models import Order
from orders.roles import Actor
from orders.selectors.orders import OrderPage, order_page
from orders.snapshot import snapshot
from refunds.actions import RULE_OF, permit
from refunds.console import order_view, words, written
from refunds.console.access import agent
from refunds.console.acts import click, sent
from refunds.console.ask_forms import KIND_OF, KINDS, AskForm, Kind
from refunds.console.presenter import sheet_label
from refunds.console.refusals import WORDS, at_fields, in_words
from refunds.console.site import show
from refunds.console.tables import Line, Table, Word
from refunds.services.requests import Part, Preview, RefundWish, preview_refund, request_refunds


def order(request: HttpRequest, order_id: int) -> HttpResponse:
    """GET /console/orders/{id}/"""
    with snapshot():
        return _order_page(request, _found(request, order_id))


def ask(request: HttpRequest, order_id: int, kind: str) -> HttpResponse:
    """POST /console/orders/{id}/refund/{kind}/: what it comes to, or with `confirmed` the request; else the order."""
    here = HttpResponseRedirect(reverse("console:order", args=[order_id]))
    if request.method != "POST" or kind not in KIND_OF:
        return here
    chosen, actor = KIND_OF[kind], agent(request).caller.actor
    permit(chosen.action, actor)
    with snapshot():
        found = _found(request, order_id)
    form = chosen.form(found, prefix=chosen.name, data=request.POST)
    if not form.is_valid() or "change" in request.POST:
        return _order_page(request, found, form, status=200 if form.is_valid() else 422)
    if "confirmed" not in request.POST:
        return _preview(request, found, chosen, form)
    problem = _confirmed(request, form.wish(actor), f"orders/{order_id}/{kind}")
    if problem:
        return _preview(request, found, chosen, form, problem)
    messages.success(request, _("Done: %(action)s.") % {"action": chosen.title})
    return here


def _confirmed(request: HttpRequest, wish: RefundWish, path: str) -> Problem | None:
    """Make the request as it was shown; what stands against it."""

    def do() -> None:
        [outcome] = request_refunds([wish])
        if isinstance(outcome, Problem):
            raise outcome
        if _digest(refund.amount_minor for refund in outcome.refunds) != request.POST.get("shown"):
            raise Conflict("changed", "It would come to something else than was shown.")

    return sent(click(request, agent(request).caller), path, do)


def _preview(
    request: HttpRequest, found: OrderPage, kind: Kind, form: AskForm, problem: Problem | None = None
) -> HttpResponse:
    """What it comes to now; the order with its form where it cannot be asked for."""
    try:
        with snapshot():
            preview = preview_refund(form.wish(agent(request).caller.actor))
    except Problem as refused:
        return _refused(request, found, form, refused)
    if problem:
        messages.error(request, in_words(problem))
    context = {
        "title": kind.title,
        "order": found.order,
        "total": written.amount(preview.total_minor, preview.currency),
        "tables": [*(_sheet(part, preview.currency) for part in preview.parts), _payments(preview)],
        "routes": [words.ROUTES[part.route] for part in preview.parts],
        "kept": form.kept(),
        "shown": _digest(part.sheet.total_minor for part in preview.parts),
        "once": uuid.uuid4().hex,
        "here": request.path,
    }
    return show(request, "console/ask.html", context, status=problem.status if problem else 200)


def _refused(request: HttpRequest, found: OrderPage, form: AskForm, problem: Problem) -> HttpResponse:
    text = in_words(problem)
    if "left_minor" in problem.extra:
        left = written.amount(problem.extra["left_minor"], found.order.currency)
        text = _("%(what)s Left: %(amount)s.") % {"what": text, "amount": left}
    messages.error(request, text)
    for path, _words in at_fields(problem):
        if name := form.field_at(path):
            form.add_error(name, text)
    return _order_page(request, found, form, status=problem.status)


def _order_page(
    request: HttpRequest, found: OrderPage, failed: AskForm | None = None, *, status: int = 200
) -> HttpResponse:
    actor = agent(request).caller.actor
    doors = [_door(kind, found, failed) for kind in KINDS if _is_offered(kind, found, actor)]
    closing = {"no_doors": WORDS["channel_closing"] if found.is_closing else ""}
    return show(request, "console/order.html", order_view.page(found) | closing | {"doors": doors}, status=status)


def _is_offered(kind: Kind, found: OrderPage, actor: Actor) -> bool:
    if found.is_closing:
        return False
    return actor.role in RULE_OF[kind.action].roles and (kind.name != "overpaid" or found.overpaid_minor > 0)


def _door(kind: Kind, found: OrderPage, failed: AskForm | None) -> dict[str, Any]:
    is_open = isinstance(failed, kind.form)
    return {
        "action": kind.name,
        "label": kind.title,
        "form": failed if is_open else kind.form(found, prefix=kind.name),
        "is_open": is_open,
        "address": reverse("console:ask", args=[found.order.pk, kind.name]),
    }


def _found(request: HttpRequest, order_id: int) -> OrderPage:
    here = Order.objects.filter(pk=order_id, channel_id__in=agent(request).caller.channel_ids)
    found = here.values_list("channel_id", "number").first()
    if found is None:
        raise NotFound("not_found", f"There is no order {order_id} here.")
    return order_page(channel_id=found[0], number=found[1])


def _sheet(part: Part, currency: str) -> Table:
    sheet = part.sheet
    lines = [
        Line([sheet_label(entry.to_json()), written.amount(entry.amount_minor, currency)]) for entry in sheet.entries
    ]
    total = Line([Word(_("Total"), "total"), Word(written.amount(sheet.total_minor, currency), "total")])
    return Table("sheet", _("How the amount came about"), ["", _("Amount")], [*lines, total], frozenset({1}))


def _payments(preview: Preview) -> Table:
    lines = [
        Line([f"{one.target or one.account} · {one.reference}", written.amount(one.amount_minor, preview.currency)])
        for one in preview.payments
    ]
    return Table("money", _("Where the money goes"), [_("Payment"), _("Amount")], lines, frozenset({1}))


def _digest(amounts: Iterable[int]) -> str:
    return ",".join(map(str, amounts))
