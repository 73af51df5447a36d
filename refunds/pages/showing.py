"""The order's page and a request's: how things stand, and the fragment that keeps a page up to date."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from orders import clock
from orders.api.answers import whole_order
from orders.errors import NotFound
from orders.selectors.orders import OrderPage, order_page
from orders.snapshot import snapshot
from refunds.pages.evidence_form import EvidenceForm
from refunds.pages.facts import Request, requests_of
from refunds.pages.forms import CodeForm, ContestForm, RebookForm, ShipBackForm, WriteForm
from refunds.pages.once import FIELD, new_token
from refunds.pages.photos import photos_shown
from refunds.pages.presenters.offers import Offer, offer_of
from refunds.pages.presenters.shown import RequestShown, contact_link, show_request
from refunds.pages.presenters.terms import Terms
from refunds.pages.visits import Visit, visited
from refunds.selectors.feed import order_events
from refunds.selectors.refunds import refunds_of_order
from refunds.selectors.store_credit import credit_of
from refunds.selectors.threads import thread_of_order
from refunds.services.targets import may_choose_credit
from refunds.states import Place


@dataclass(frozen=True, slots=True)
class Whole:
    """An order with what of it can be refunded, and its requests, all of one moment."""

    page: OrderPage
    terms: Terms
    offers: tuple[Offer, ...]
    requests: tuple[Request, ...]

    @property
    def is_charged(self) -> bool:
        return any(share.captured_minor for share in self.page.shares)

    @property
    def may_be_credit(self) -> bool:
        return self.is_charged and may_choose_credit(self.page.order, self.terms.policy)

    @property
    def is_cancellable(self) -> bool:
        """No payment was ever stated, and something has not been sent."""
        free = self.page.free_units().values()
        return not self.page.shares and any(at.place is Place.UNSHIPPED for units in free for at in units)

    @property
    def anything_left(self) -> bool:
        return any(offer.left for offer in self.offers)


@dataclass(frozen=True, slots=True)
class Wrong:
    """A form that was refused, for the action on the refund of this number; `trouble` is what no field of it says."""

    number: str
    action: str
    form: Form
    status: int = 422
    trouble: str = ""


def requests_at(visit: Visit) -> tuple[Request, ...]:
    return requests_of(
        refunds_of_order(visit.order.pk), order_events(visit.order.pk), thread_of_order(visit.order.pk), visit.actor
    )


def whole_at(visit: Visit) -> Whole:
    with snapshot():
        page = order_page(channel_id=visit.order.channel_id, number=visit.order.number)
        shown = whole_order(page, channel=visit.order.channel.slug)
        requests = requests_at(visit)
    terms = Terms(page.policy, page.order.currency, shown["refundable"]["amount_minor"])
    numbers = {part.number: request.number for request in requests for part in request.parts}
    keys = {line.line_id: line.pk for line in page.lines}
    offers = [offer_of(line, keys[line["id"]], numbers, visit.words, terms) for line in shown["lines"]]
    return Whole(page, terms, tuple(offers), requests)


def request_at(visit: Visit, number: str) -> Request:
    """The request of this number, or the one of which this number is a part. NotFound."""
    with snapshot():
        requests = requests_at(visit)
    found = [r for r in requests if number == r.number or number in (part.number for part in r.parts)]
    if not found:
        raise NotFound("refund_not_found", f"Order {visit.order.number} has no refund {number}.")
    return found[0]


def common(visit: Visit) -> dict[str, Any]:
    """What every page of an order shows."""
    channel = visit.order.channel
    return {
        "visit": visit,
        "shop": channel.name,
        "order": visit.order,
        "contact": channel.contact,
        "contact_link": contact_link(channel.contact),
        "languages_at": visit.home(),
    }


def order(request: HttpRequest, visit: Visit) -> HttpResponse:
    whole = whole_at(visit)
    values = common(visit) | {
        "offers": whole.offers,
        "whole": whole,
        "token_field": FIELD,
        "token": new_token(),
        "requests": [show_request(each, visit.words) for each in whole.requests],
        "ordered_at": visit.words.moment(visit.order.ordered_at),
        "total": visit.words.amount(visit.order.total_minor, visit.order.currency),
        "credit": [visit.words.amount(has.balance_minor, has.currency) for has in credit_of(visit.order)],
        "overpaid_minor": whole.page.overpaid_minor,
        "overpaid": visit.words.amount(whole.page.overpaid_minor, visit.order.currency),
    }
    return render(request, "pages/order.html", values)


@visited
def request_page(request: HttpRequest, visit: Visit, number: str) -> HttpResponse:
    return show(request, visit, request_at(visit, number))


def show(request: HttpRequest, visit: Visit, asked: Request, wrong: Wrong | None = None) -> HttpResponse:
    shown = show_request(asked, visit.words)
    values = common(visit) | _live_values(visit, shown) | _acts_values(visit, shown, wrong)
    values |= {
        "trouble": wrong.trouble if wrong else "",
        "photos": photos_shown(visit, [part.number for part in shown.parts]),
        "languages_at": visit.address("requests", shown.number),
    }
    return render(request, "pages/request.html", values, status=wrong.status if wrong else 200)


@visited
def live(request: HttpRequest, visit: Visit, number: str) -> HttpResponse:
    """What of the page has moved: the page takes over piece by piece what it finds in the answer, so that what is
    folded open stays so. Nothing (204) when it is as the page has it."""
    shown = show_request(request_at(visit, number), visit.words)
    values = common(visit) | _live_values(visit, shown)
    if request.GET.get("can", "") != shown.can:
        return render(request, "pages/moved.html", values | _acts_values(visit, shown))
    if request.GET.get("seen") == values["seen"]:
        return HttpResponse(status=204)
    return render(request, "pages/live.html", values)


def _acts_values(visit: Visit, shown: RequestShown, wrong: Wrong | None = None) -> dict[str, Any]:
    acts = [(part, _forms(visit, part.number, wrong)) for part in shown.parts if part.actions]
    return {"acts": acts, "token_field": FIELD, "token": new_token()}


def _live_values(visit: Visit, shown: RequestShown) -> dict[str, Any]:
    """`seen` changes with whatever the fragment shows."""
    said = render_to_string("pages/told.html", {"asked": shown, "visit": visit})
    return {"asked": shown, "said": said, "seen": sha256(said.encode()).hexdigest()[:16]}


def _forms(visit: Visit, number: str, wrong: Wrong | None) -> dict[str, Form]:
    today = clock.now().astimezone(visit.zone).date()
    fresh: dict[str, Form] = {
        "confirm_target": CodeForm(),
        "write": WriteForm(),
        "contest": ContestForm(),
        "ship_back": ShipBackForm(),
        "rebook_pickup": RebookForm(today=today),
        "evidence": EvidenceForm(),
    }
    is_here = wrong is not None and wrong.number == number and type(wrong.form) is type(fresh.get(wrong.action))
    return fresh | ({wrong.action: wrong.form} if wrong and is_here else {})
