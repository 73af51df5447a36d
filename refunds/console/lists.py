"""The front page with the queues, the lists of refunds, orders and incidents, and an order's page."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar, cast

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from orders import clock
from orders.errors import NotFound
from orders.models import Order
from orders.rest.fields import FORBIDDEN
from orders.selectors.orders import order_page
from orders.snapshot import snapshot
from refunds.actions import RULE_OF, Action
from refunds.console import order_view, presenter, words, written
from refunds.console.access import agent
from refunds.console.acts import seen_by
from refunds.console.navigation import ICONS, counts, queue_address
from refunds.console.site import show
from refunds.models import Incident, Refund
from refunds.selectors.desk import ListWish, open_incidents, order_list, refund_list
from refunds.selectors.queues import Queue
from refunds.states import RefundState, Route

PER_PAGE = 25
MOST = 5000
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
        page, now = _page(request, refund_list(wish)), clock.now()
        rows = [_refund_row(refund, now, caller.actor.reference) for refund in page]
        bulk = [action for action in (Action.APPROVE, Action.REJECT) if caller.role in RULE_OF[action].roles]
        context = {
            "title": words.QUEUES[wish.name] if wish.name else _("All refunds"),
            "about": words.QUEUES_ABOUT[wish.name] if wish.name else "",
            "rows": rows,
            "can": {action: True for action in bulk},
            "wish": wish,
            "states": _choices(words.STATES),
            "routes": _choices(words.ROUTES),
        }
        return show(request, "console/refunds.html", context | _paged(request, page))


def orders(request: HttpRequest) -> HttpResponse:
    """GET /console/orders/?q=&page="""
    with snapshot():
        text = _text(request)
        page = _page(request, order_list(channels=agent(request).caller.channel_ids, text=text))
        rows = [order_view.row(order) for order in page]
        context = {"title": _("Orders"), "rows": rows, "text": text}
        return show(request, "console/orders.html", context | _paged(request, page))


def order(request: HttpRequest, order_id: int) -> HttpResponse:
    """GET /console/orders/{id}/"""
    with snapshot():
        here = Order.objects.filter(pk=order_id, channel_id__in=agent(request).caller.channel_ids)
        found = here.values_list("channel_id", "number").first()
        if found is None:
            raise NotFound("not_found", f"There is no order {order_id} here.")
        page = order_page(channel_id=found[0], number=found[1])
        return show(request, "console/order.html", order_view.page(page))


def incidents(request: HttpRequest) -> HttpResponse:
    """GET /console/incidents/?page="""
    with snapshot():
        page = _page(request, open_incidents(channels=agent(request).caller.channel_ids))
        now = clock.now()
        rows = [_incident_row(incident, now) for incident in page]
        return show(request, "console/incidents.html", {"title": _("Incidents"), "rows": rows} | _paged(request, page))


def _refund_row(refund: Refund, now: Any, me: str) -> dict[str, Any]:
    by_agent = refund.requested_role in ("support", "supervisor") and refund.state == RefundState.IN_REVIEW
    return {
        "number": refund.number,
        "seen": seen_by(Action.APPROVE, refund),
        "order": refund.order,
        "customer": refund.order.customer_name or refund.order.customer_email,
        "amount": written.amount(refund.amount_minor, refund.currency),
        "state": presenter.state_of(refund),
        "route": words.ROUTES.get(refund.route, refund.route),  # type: ignore[call-overload]
        "deadline": presenter.deadline_of(refund, now),
        "assignee": refund.assignee.name if refund.assignee else "",
        "second": (_("by me") if refund.requested_by == me else _("by a colleague")) if by_agent else "",
        "held": bool(refund.held_until),
    }


def _incident_row(incident: Incident, now: Any) -> dict[str, Any]:
    return {
        "kind": words.INCIDENTS.get(incident.kind, incident.kind),
        "order": incident.order,
        "refund": incident.refund.number if incident.refund else "",
        "opened": written.moment(incident.opened_at),
        "due": written.time_left(incident.due_at, now),
        "over": incident.due_at <= now,
    }


def _text(request: HttpRequest) -> str:
    return FORBIDDEN.sub("", request.GET.get("q", ""))[:LONGEST_TEXT].strip()


def _one_of(kind: type[Word], value: str) -> Word | None:
    """None for what is not one, as if it had not been asked for."""
    return kind(value) if value in set(kind) else None


def _choices(of: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    return [(str(value), label) for value, label in of.items()]


class Pages(Paginator):
    """Counts no further than anybody turns pages: what has ended grows without end."""

    @cached_property
    def count(self) -> int:
        return cast(QuerySet[Any], self.object_list).order_by()[:MOST].count()


def _page(request: HttpRequest, found: QuerySet[Any]) -> Page:
    """An odd page number shows the nearest page there is."""
    return Pages(found, PER_PAGE).get_page(request.GET.get("page"))


def _paged(request: HttpRequest, page: Page) -> dict[str, Any]:
    asked = request.GET.copy()
    asked.pop("page", None)
    total = page.paginator.count
    return {
        "page": page,
        "total": f"{total}+" if total == MOST else total,
        "others": asked.urlencode(),
        "here": request.path,
    }
