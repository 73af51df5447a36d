"""Asking for what was paid too much: the sum is on the order's page, so that one step is enough."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from orders.errors import Conflict, Problem
from refunds.pages.asking import see_other
from refunds.pages.once import once
from refunds.pages.visits import Visit, visited
from refunds.services.requests import RefundWish, request_refunds
from refunds.states import Goods

#: The sum that the page has shown, so that no other one is asked for.
SHOWN = "shown"


@visited
def overpaid(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The same form again leads to the same request."""
    if request.method != "POST":
        return HttpResponseRedirect(visit.home())
    made = once(request, visit, "overpaid", lambda: {"request": _requested(visit, request.POST.get(SHOWN, ""))})
    return see_other(visit.address("requests", made["request"]))


def _requested(visit: Visit, shown: str) -> str:
    """The number of the request made. Raises Problem."""
    wish = RefundWish(
        visit.order.channel_id, visit.order.number, visit.actor, lines=(), overpaid=True, goods=Goods.KEEP
    )
    [outcome] = request_refunds([wish])
    if isinstance(outcome, Problem):
        raise outcome
    if [str(refund.amount_minor) for refund in outcome.refunds] != [shown]:
        raise Conflict("changed", "It would come to something else than was shown.")
    return outcome.request
