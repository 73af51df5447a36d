"""Who has no link, or a dead one: he looks his order up, or has a new link mailed to him. Rate limited, and the answer
tells nothing of what there is."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from math import ceil

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _

from orders.errors import Problem
from orders.links import signed_link
from orders.models import Order
from orders.registry import registry
from orders.rest.attempts import Who, address_of, usages
from orders.roles import SYSTEM
from orders.services.links import LinkWish, make_link
from refunds.pages.asking import see_other
from refunds.pages.forms import LookUpForm, NewLinkForm
from refunds.pages.visits import told
from refunds.selectors.visits import bare_number, order_known_by, orders_numbered
from refunds.services.new_links import mail_new_links

#: A link that was looked up is for now; it can be looked up again.
LIFETIME = timedelta(days=1)
LIMIT_BY_ADDRESS = "30/10m"  # one may be shared by many
LIMIT_BY_NUMBER = "10/10m"  # a number belongs to one
MAIL_LIMITS: dict[Who, str] = {address_of: "10/h"}


class TooMany(Problem):
    """`number` is what was looked for: its owner can have a link mailed all the same."""

    status = 429

    def __init__(self, retry_after: int, number: str = "") -> None:
        super().__init__("too_many_requests", "Too many attempts.", minutes=ceil(retry_after / 60), number=number)
        self.retry_after = retry_after


@told
def look_up(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return render(request, "pages/lookup.html", {"form": LookUpForm(), "languages_at": request.path})
    form = LookUpForm(request.POST)
    if form.is_valid():
        found = _found(request, **form.cleaned_data)
        if found:
            return see_other(_link(found))
        form.add_error(None, _("We found no order with this number and this e-mail address."))
    values = {"form": form, "languages_at": request.path}
    return render(request, "pages/lookup.html", values, status=422)


def _found(request: HttpRequest, *, number: str, email: str) -> Order | None:
    """Whoever knows both is not counted, so that nobody is shut out by his own visits."""
    limits: dict[Who, str] = {address_of: LIMIT_BY_ADDRESS, lambda *_: bare_number(number): LIMIT_BY_NUMBER}
    _limit(request, "look-up", limits, number=number, is_attempt=False)
    found = order_known_by(number=number, email=email, channel_id=_channel_at(request))
    if found is None:
        _limit(request, "look-up", limits, number=number)
    return found


@told
def new_link(request: HttpRequest) -> HttpResponse:
    """To the address of the order alone, and the same answer whether or not there is one."""
    if request.method != "POST":
        return HttpResponseRedirect("/r/")
    _limit(request, "new-link", MAIL_LIMITS)
    form = NewLinkForm(request.POST)
    mail_new_links(_orders_meant(request, **form.cleaned_data) if form.is_valid() else ())
    return render(request, "pages/new_link.html", {"languages_at": "/r/"})


def _orders_meant(request: HttpRequest, *, number: str, token: str) -> Sequence[int]:
    """By the link that was his, or by the number he looked for."""
    link = signed_link(token)
    if link:
        return [link.order_id]
    return orders_numbered(number, channel_id=_channel_at(request)) if number else []


def _channel_at(request: HttpRequest) -> int | None:
    """Whose address the page is at; None: the installation's own, where the orders of all are found."""
    served = registry.at(request.get_host())
    return served.id if served else None


def _limit(
    request: HttpRequest, group: str, limits: Mapping[Who, str], *, number: str = "", is_attempt: bool = True
) -> None:
    """Count an attempt, or see whether one more would be too many. Raises TooMany, and Unavailable while nobody can
    count."""
    used = usages(request, group=group, limits=limits, increment=is_attempt)
    waits = [usage["time_left"] for usage in used if usage["count"] + (not is_attempt) > usage["limit"]]
    if waits:
        raise TooMany(max(1, *waits), number)


def _link(order: Order) -> str:
    wish = LinkWish(order.number, "order", LIFETIME)
    return f"/r/{make_link(wish, channel_id=order.channel_id, actor=SYSTEM).token}"
