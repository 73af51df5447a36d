"""Looking an order up by its number and the e-mail address: rate limited, one answer for unknown and wrong."""

from datetime import timedelta
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django_ratelimit.core import get_usage
from redis.exceptions import RedisError

from orders.errors import Problem, Unavailable
from orders.models import Order
from orders.roles import SYSTEM
from orders.services.links import LinkWish, make_link
from refunds.pages.asking import see_other
from refunds.pages.forms import LookUpForm
from refunds.pages.visits import told
from refunds.selectors.visits import order_known_by

#: A link that was looked up is for now; it can be looked up again.
LIFETIME = timedelta(days=1)
IPV6_HOME = 64  # so many bits belong to one household


class TooMany(Problem):
    status = 429

    def __init__(self, retry_after: int) -> None:
        super().__init__("too_many_requests", "Too many attempts.")
        self.retry_after = retry_after


@told
def look_up(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return render(request, "pages/lookup.html", {"form": LookUpForm(), "languages_at": request.path})
    _limit(request)
    form = LookUpForm(request.POST)
    found = order_known_by(**form.cleaned_data) if form.is_valid() else None
    if found:
        return see_other(_link(found))
    if not form.errors:
        form.add_error(None, _("We found no order with this number and this e-mail address."))
    values = {"form": form, "languages_at": request.path}
    return render(request, "pages/lookup.html", values, status=422)


def _limit(request: HttpRequest) -> None:
    """Raises TooMany, and Unavailable while nobody can count: guessing must not become free."""
    try:
        usages = [get_usage(request, group="look-up", key=key, rate=rate, increment=True) for key, rate in LIMITS]
    except RedisError:
        raise Unavailable("unavailable", "Attempts cannot be counted right now.") from None
    waits = [usage["time_left"] for usage in usages if usage["should_limit"]]
    if waits:
        raise TooMany(max(1, *waits))


def address_of(group: str, request: HttpRequest) -> str:
    """Whose attempt it is: behind a proxy, as its header says."""
    named = request.headers.get(settings.CLIENT_ADDRESS_HEADER, "").rpartition(",")[2].strip()
    try:
        address = ip_address(named or request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return "unknown"
    return str(ip_network((address, IPV6_HOME if address.version == 6 else 32), strict=False))


#: By whom, and so often: an address may be shared by many, a number belongs to one.
LIMITS = ((address_of, "30/10m"), ("post:number", "10/h"))


def _link(order: Order) -> str:
    wish = LinkWish(order.number, "order", LIFETIME)
    token, _link = make_link(wish, channel_id=order.channel_id, actor=SYSTEM)
    return f"/r/{token}"
