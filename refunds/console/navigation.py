"""The sidebar: the work queues with their lengths, and the lists."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from refunds.actions import RULE_OF, Action
from refunds.console.access import agent
from refunds.console.words import QUEUES
from refunds.selectors.queues import Queue, queue_counts
from refunds.services.bookkeeping import BOOKKEEPERS
from refunds.services.leaving import RUN_PEOPLE
from refunds.services.manifests.applying import AGREE

ICONS = {
    Queue.UNASSIGNED: "inbox",
    Queue.MINE: "person",
    Queue.DUE_SOON: "schedule",
    Queue.OVERDUE: "alarm",
    Queue.CUSTOMER_WROTE: "mail",
    Queue.SECOND_APPROVAL: "group",
    Queue.MONEY: "payments",
    Queue.COURIER: "local_shipping",
}
ALARMING = {Queue.OVERDUE, Queue.MONEY, Queue.COURIER}


def counts(request: HttpRequest) -> dict[Queue, int]:
    """How long each queue of this agent is, counted once per request."""
    if not hasattr(request, "console_counts"):
        caller = agent(request).caller
        found = queue_counts(channels=caller.channel_ids, principal_id=caller.principal_id)
        request.console_counts = found  # type: ignore[attr-defined]
    return request.console_counts  # type: ignore[attr-defined]


def queue_address(name: Queue) -> str:
    return f"{reverse('console:refunds')}?queue={name}"


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    here = request.resolver_match.url_name if request.resolver_match else ""
    shown = request.GET.get("queue", "")
    lists = [
        ("refunds", _("All refunds"), "receipt_long", here in ("refunds", "case", "act", "bulk") and not shown),
        ("orders", _("Orders"), "shopping_bag", here in ("orders", "order", "ask")),
        ("incidents", _("Incidents"), "report", here in ("incidents", "incident")),
    ]
    if agent(request).caller.role in RULE_OF[Action.RECEIVE].roles:
        lists.append(("returns", _("Parcel without a case"), "inventory_2", here == "returns"))
    if agent(request).caller.role in BOOKKEEPERS:
        lists.append(("books", _("Books"), "account_balance", here == "books"))
    if agent(request).caller.role in AGREE:
        lists.append(("policies", _("Policies"), "gavel", here in ("policies", "policy", "policy_approve")))
    if agent(request).caller.role in RUN_PEOPLE:
        lists.append(("people", _("People"), "badge", here in ("people", "leaves")))
    return [
        {"title": _("Work"), "items": [_queue_item(request, name, is_shown=shown == name) for name in Queue]},
        {
            "title": _("Look up"),
            "separator": True,
            "items": [
                {"title": title, "icon": icon, "link": reverse(f"console:{name}"), "active": is_active}
                for name, title, icon, is_active in lists
            ],
        },
    ]


def _queue_item(request: HttpRequest, name: Queue, *, is_shown: bool) -> dict[str, Any]:
    length = counts(request)[name]
    return {
        "title": QUEUES[name],
        "icon": ICONS[name],
        "link": queue_address(name),
        "active": is_shown,
        "badge": length,
        "badge_variant": "danger" if length and name in ALARMING else "info",
    }
