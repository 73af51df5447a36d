"""Who has no link, or a dead one: he looks his order up, or has a new link mailed to him. Rate limited, and the answer
tells nothing of what there is."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _

from orders.errors import Problem
from orders.links import signed_link
from orders.models import Order
from orders.rest.attempts import Who, address_of, usages
from orders.roles import SYSTEM
from orders.services.links import LinkWish, make_link
from refunds.pages.asking import see_other
from refunds.pages.forms import LookUpForm, NewLinkForm
from refunds.pages.visits import told
from refunds.selectors.visits import order_known_by, orders_numbered
from refunds.services.new_links import mail_new_links

#: A link that was looked up is for now; it can be looked up again.
LIFETIME = timedelta(days=1)
#: By whom, and so often: an address may be shared by many, a number belongs to one.
LIMITS: dict[Who, str] = {address_of: "30/10m", "post:number": "10/h"}
MAIL_LIMITS: dict[Who, str] = {address_of: "10/h"}


class TooMany(Problem):
    status = 429

    def __init__(self, retry_after: int) -> None:
        super().__init__("too_many_requests", "Too many attempts.")
        self.retry_after = retry_after


@told
def look_up(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return render(request, "pages/lookup.html", {"form": LookUpForm(), "languages_at": request.path})
    _limit(request, "look-up", LIMITS)
    form = LookUpForm(request.POST)
    found = order_known_by(**form.cleaned_data) if form.is_valid() else None
    if found:
        return see_other(_link(found))
    if not form.errors:
        form.add_error(None, _("We found no order with this number and this e-mail address."))
    values = {"form": form, "languages_at": request.path}
    return render(request, "pages/lookup.html", values, status=422)


@told
def new_link(request: HttpRequest) -> HttpResponse:
    """To the address of the order alone, and the same answer whether or not there is one."""
    if request.method != "POST":
        return HttpResponseRedirect("/r/")
    _limit(request, "new-link", MAIL_LIMITS)
    form = NewLinkForm(request.POST)
    mail_new_links(_orders_meant(**form.cleaned_data) if form.is_valid() else ())
    return render(request, "pages/new_link.html", {"languages_at": "/r/"})


def _orders_meant(*, number: str, token: str) -> Sequence[int]:
    """By the link that was his, or by the number he looked for."""
    link = signed_link(token)
    if link:
        return [link.order_id]
    return orders_numbered(number) if number else []


def _limit(request: HttpRequest, group: str, limits: Mapping[Who, str]) -> None:
    """Raises TooMany, and Unavailable while nobody can count."""
    used = usages(request, group=group, limits=limits, increment=True)
    waits = [usage["time_left"] for usage in used if usage["should_limit"]]
    if waits:
        raise TooMany(max(1, *waits))


def _link(order: Order) -> str:
    wish = LinkWish(order.number, "order", LIFETIME)
    return f"/r/{make_link(wish, channel_id=order.channel_id, actor=SYSTEM).token}"
