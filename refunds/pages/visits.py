"""Who visits: a link is read, the language chosen, and whatever goes wrong becomes a page he can read.

The address holds the secret: whoever can name it has the link, so that a forged form of another site gains nothing
that a link would not give. The pages therefore ask for no cookie, and work where none is kept.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt

from orders.errors import Conflict, Problem
from orders.links import GIFT, read_link
from orders.locks import LockNotHad
from orders.models import Order
from orders.rest.problems import TooLarge, problem_of
from orders.roles import Actor, Role
from refunds.messages.language import LOCALES, language_for, locale_for
from refunds.messages.zones import zone_of
from refunds.pages.evidence_form import MOST_FORM_BYTES
from refunds.pages.presenters.words import Words
from refunds.pages.troubled import trouble_page
from refunds.selectors.visits import visited_order

#: What a page can say something of; everything else is ours, is logged, and ends in the page of the 500.
UNREADABLE = (SuspiciousOperation, BadRequest, MultiPartParserError, UnreadablePostError)
TOLD = (Problem, LockNotHad, DatabaseError, Http404, *UNREADABLE)
FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")
YEAR = 365 * 24 * 3600
BACK = "refundry_back"


@dataclass(frozen=True, slots=True)
class Visit:
    """A customer at his order. `back` is the shop's page he came from, empty when unknown; `is_gift`: he was given the
    goods, and has nothing to do with the money."""

    token: str
    order: Order
    back: str
    is_gift: bool = False

    @property
    def actor(self) -> Actor:
        return Actor(f"customer:{self.order.pk}", Role.CUSTOMER)

    @property
    def zone(self) -> tzinfo:
        return zone_of(str(self.order.shipping_address.get("country", "")))

    @property
    def language(self) -> str:
        return translation.get_language() or settings.LANGUAGE_CODE

    @property
    def words(self) -> Words:
        return Words(locale_for(self.language, self.order.customer_locale), self.zone)

    def home(self) -> str:
        return f"/r/{self.token}"

    def address(self, *steps: str) -> str:
        return "/".join((self.home(), *steps))


def visited(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view of one order, for whoever paid it: called with the visit in the token's place."""

    @wraps(view)
    def shown(request: HttpRequest, visit: Visit, **named: Any) -> HttpResponse:
        if visit.is_gift:
            raise payer_only()
        return view(request, visit, **named)

    return welcomed(shown)


def welcomed(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The same, also for whoever was given the goods."""

    @wraps(view)
    def shown(request: HttpRequest, token: str, **named: Any) -> HttpResponse:
        link = read_link(token)
        order = visited_order(link.order_id)
        visit = Visit(token, order, back_of(request, link.return_url), link.purpose == GIFT)
        choose_language(request, None if visit.is_gift else order)
        return remember_back(request, view(request, visit, **named), path=visit.home())

    return told(shown)


def payer_only() -> Conflict:
    return Conflict("payer_only", "This link is for whoever was given the goods: the refund goes to whoever paid.")


def told(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Nobody but the reader keeps what it answers, and problems are pages."""

    @csrf_exempt
    @wraps(view)
    def shown(request: HttpRequest, **named: Any) -> HttpResponse:
        choose_language(request)
        try:
            refuse_odd_text(request)
            response = view(request, **named)
        except TOLD as error:
            problem = problem_of(error)
            if problem.status == 500:
                raise
            response = trouble_page(request, problem)
        response.headers.setdefault("Cache-Control", "private, no-cache")
        response.headers["X-Robots-Tag"] = "noindex"
        return remember_language(request, response)

    return shown


def refuse_odd_text(request: HttpRequest) -> None:
    """Read the whole form now: one that cannot be read is a problem like any other."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > MOST_FORM_BYTES:
        raise TooLarge("too_large", f"The form is larger than {MOST_FORM_BYTES} bytes.")
    if request.method == "POST" and not request.POST and request.content_type not in FORM_TYPES:
        raise SuspiciousOperation("this is no form")


def choose_language(request: HttpRequest, order: Order | None = None) -> None:
    """What he chose; else, at his order, the language he ordered in; else what his browser asks for."""
    asked = request.GET.get("lang", "")
    if asked:
        translation.activate(language_for(asked))
    elif order and request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME) not in LOCALES and order.customer_locale:
        translation.activate(language_for(order.customer_locale))
    request.LANGUAGE_CODE = translation.get_language() or settings.LANGUAGE_CODE


def remember_language(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    response.headers["Content-Language"] = translation.get_language() or settings.LANGUAGE_CODE
    if request.GET.get("lang"):
        _keep(response, settings.LANGUAGE_COOKIE_NAME, language_for(request.GET["lang"]), path="/")
    return response


def back_of(request: HttpRequest, signed: str) -> str:
    """The shop's page to go back to: named by the button that brought him, or signed into his link."""
    named = request.GET.get("return_url") or request.COOKIES.get(BACK, "")
    return named if is_web_page(named) else signed


def remember_back(request: HttpRequest, response: HttpResponse, *, path: str) -> HttpResponse:
    """For this link alone."""
    named = request.GET.get("return_url", "")
    if is_web_page(named):
        _keep(response, BACK, named, path=path)
    return response


def is_web_page(address: str) -> bool:
    """An http or https address of sane length, and nothing that a browser would run."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and len(address) <= 500 and address.isprintable()


def _keep(response: HttpResponse, name: str, value: str, *, path: str) -> None:
    secure = settings.BASE_URL.startswith("https:")
    response.set_cookie(name, value, max_age=YEAR, path=path, secure=secure, httponly=True, samesite="Lax")
