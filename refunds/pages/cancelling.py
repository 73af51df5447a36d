"""Cancelling an order that nobody has paid: there is no sum to be shown first."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from orders.errors import Conflict, Problem
from refunds.pages.asking import see_other
from refunds.pages.once import once
from refunds.pages.showing import whole_at
from refunds.pages.visits import Visit, visited
from refunds.services.requests import RefundWish, request_refunds


@visited
def cancel_order(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The same form again leads to the same request."""
    if request.method != "POST":
        return HttpResponseRedirect(visit.home())
    made = once(request, visit, "cancel", lambda: {"request": _cancelled(visit)})
    return see_other(visit.address("requests", made["request"]))


def _cancelled(visit: Visit) -> str:
    """The number of the request made. Raises Problem: what is paid, or has left, is refunded in two steps."""
    if not whole_at(visit).is_cancellable:
        raise Conflict("changed", "The order is paid, or has left.")
    wish = RefundWish(visit.order.channel_id, visit.order.number, visit.actor, only_unshipped=True)
    [outcome] = request_refunds([wish])
    if isinstance(outcome, Problem):
        raise outcome
    return outcome.request
