"""What a link opens for whoever was given the goods: their names, no amount, and why the money is not his."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from orders.selectors.orders import order_page
from orders.snapshot import snapshot
from refunds.pages import showing
from refunds.pages.visits import Visit, welcomed


@welcomed
def home(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The order, for whoever paid it, or the gift."""
    return _gift(request, visit) if visit.is_gift else showing.order(request, visit)


def _gift(request: HttpRequest, visit: Visit) -> HttpResponse:
    with snapshot():
        page = order_page(channel_id=visit.order.channel_id, number=visit.order.number)
    given = [(line.quantity, line.name) for line in page.lines if line.quantity]
    values = showing.common(visit) | {"given": given, "replaces": page.policy.replacements}
    return render(request, "pages/gift.html", values)
