"""The front page with the queues, and the lists of refunds and orders."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from orders import clock
from orders.rest.fields import FORBIDDEN
from orders.snapshot import snapshot
from refunds.actions import RULE_OF
from refunds.console import rows, words
from refunds.console.access import agent
from refunds.console.bulk import IN_BULK
from refunds.console.navigation import ICONS, counts, queue_address
from refunds.console.paging import page_of, paged
from refunds.console.site import show
from refunds.selectors.desk import ListWish, order_list, refund_list
from refunds.selectors.queues import Queue
from refunds.states import RefundState, Route

LONGEST_TEXT = 100
Word = TypeVar("Word", bound=StrEnum)


def home(request: HttpRequest) -> HttpResponse:
    """GET /console/"""
    queues = [
        {
            "title": words.QUEUES[name],
            "about": words.QUEUES_ABOUT[name],
            "icon": ICONS[name],
            "length": length,
            "address": queue_address(name),
        }
        for name, length in counts(request).items()
    ]
    return show(request, "console/home.html", {"title": _("Work"), "queues": queues})


def refunds(request: HttpRequest) -> HttpResponse:
    """GET /console/refunds/?queue=&q=&state=&route=&page="""
    caller = agent(request).caller
    wish = ListWish(
        channels=caller.channel_ids,
        principal_id=caller.principal_id,
        name=_one_of(Queue, request.GET.get("queue", "")),
        text=_text(request),
        state=_one_of(RefundState, request.GET.get("state", "")),
        route=_one_of(Route, request.GET.get("route", "")),
    )
    with snapshot():
        page = page_of(request, refund_list(wish))
        context = {
            "title": words.QUEUES[wish.name] if wish.name else _("All refunds"),
            "about": words.QUEUES_ABOUT[wish.name] if wish.name else "",
            "table": rows.refunds(page, clock.now(), me=caller.actor.reference),
            "can": [(action, words.ACTIONS[action]) for action in IN_BULK if caller.role in RULE_OF[action].roles],
            "wish": wish,
            "states": _choices(words.STATES),
            "routes": _choices(words.ROUTES),
        }
        return show(request, "console/refunds.html", context | paged(request, page))


def orders(request: HttpRequest) -> HttpResponse:
    """GET /console/orders/?q=&page="""
    with snapshot():
        text = _text(request)
        page = page_of(request, order_list(channels=agent(request).caller.channel_ids, text=text))
        context = {"title": _("Orders"), "table": rows.orders(page), "text": text}
        return show(request, "console/orders.html", context | paged(request, page))


def _text(request: HttpRequest) -> str:
    """Gaps are one space each; what no text has in it stands for itself, and is found nowhere."""
    return FORBIDDEN.sub("\ufffd", " ".join(request.GET.get("q", "").split()))[:LONGEST_TEXT]


def _one_of(kind: type[Word], value: str) -> Word | None:
    """None for what is not one, as if it had not been asked for."""
    return kind(value) if value in set(kind) else None


def _choices(of: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    return [(str(value), label) for value, label in of.items()]
