"""How an order stands, for the button on any shop's page: read by its script from any origin, without cookies."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from orders.links import GIFT, Link, read_link
from orders.models import Order
from orders.rest.answers import answer
from orders.rest.problems import NotAllowed, problem_of, problem_response
from refunds.messages.language import language_for
from refunds.pages.presenters.shown import RequestShown, show_request
from refunds.pages.showing import whole_at
from refunds.pages.visits import TOLD, Visit, payer_only
from refunds.selectors.visits import visited_order

OPEN_TO_ALL = {"Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}


@csrf_exempt
def state(request: HttpRequest, token: str) -> HttpResponse:
    """Nothing in it is personal: the order's number, how its refunds stand, and where to go."""
    readers: Mapping[str, str] = OPEN_TO_ALL
    try:
        link, order = _asked_for(request, token)
        readers = _readers(request, order.channel.origins)
        response = answer(_state(request, Visit(token, order, ""), link))
    except TOLD as error:
        problem = problem_of(error)
        if problem.status == 500:
            raise
        response = problem_response(problem)
    for name, value in readers.items():
        response.headers[name] = value
    return response


def _readers(request: HttpRequest, origins: Sequence[str]) -> Mapping[str, str]:
    """Every page's script, unless the channel has said whose may; what a cache keeps is for one origin then."""
    if not origins:
        return OPEN_TO_ALL
    asking = request.headers.get("origin", "")
    allowed = {"Access-Control-Allow-Origin": asking} if asking in origins else {}
    return allowed | {"Vary": "Origin", "Cache-Control": OPEN_TO_ALL["Cache-Control"]}


def _asked_for(request: HttpRequest, token: str) -> tuple[Link, Order]:
    if request.method not in ("GET", "HEAD"):
        raise NotAllowed("method_not_allowed", "This is only read.")
    link = read_link(token)
    if link.purpose == GIFT:
        raise payer_only()
    return link, visited_order(link.order_id)


def _state(request: HttpRequest, visit: Visit, link: Link) -> dict[str, Any]:
    order = visit.order
    language = language_for(request.GET.get("lang", ""), order.customer_locale)
    with translation.override(language):
        whole = whole_at(visit)
        return {
            "order": order.number,
            "state": order.refund_state,
            "language": language,
            "url": link.url,
            **_said([show_request(each, visit.words) for each in whole.requests], anything_left=whole.anything_left),
        }


def _said(requests: Sequence[RequestShown], *, anything_left: bool) -> dict[str, Any]:
    """`text` says how it stands, `action` is on the button; `poll_seconds` 0: nothing moves any more."""
    shown = [{"request": r.number, "text": r.headline, "amount": r.amount, "tone": r.tone} for r in requests]
    polls = [each.every for each in requests if each.every]
    if not requests:
        text = "" if anything_left else _("Nothing can be refunded")
        return {"text": text, "tone": "none", "action": _("Refund"), "requests": [], "poll_seconds": 0}
    action = _("See your refund")
    return {
        "text": requests[0].headline,
        "tone": requests[0].tone,
        "action": action,
        "requests": shown,
        "poll_seconds": min(polls, default=0),
    }
