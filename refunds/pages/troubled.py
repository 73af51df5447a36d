"""Pages for what went wrong, each with what to do next."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt

from orders.errors import NotFound, Problem, Unavailable
from orders.rest.problems import Unexpected, problem_of
from refunds.pages.presenters.troubles import trouble_text

#: The code of a link that is forged, or has run out.
DEAD_LINK = "not_found"


def trouble_page(request: HttpRequest, problem: Problem) -> HttpResponse:
    """Answered with the problem's own status."""
    values = {
        "text": trouble_text(problem),
        "title": _title(problem),
        "token": request.resolver_match.kwargs.get("token") if request.resolver_match else None,
        "is_gift": problem.code == "payer_only",
        "is_dead": problem.code == DEAD_LINK,
        "is_too_often": problem.status == 429,
        "number": problem.extra.get("number", ""),
    }
    response = render(request, "pages/trouble.html", values, status=problem.status)
    if retry := getattr(problem, "retry_after", None):
        response.headers["Retry-After"] = str(retry)
    return response


def _title(problem: Problem) -> str:
    if problem.code == DEAD_LINK:
        return _("This link does not work")
    if problem.status == 404:
        return _("This page cannot be found")
    if problem.status == 429:
        return _("Please try again later")
    if problem.status == Unavailable.status:
        return _("Please try again in a moment")
    return _("That did not work")


@csrf_exempt
def unknown_address(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's handler of a 404, for people."""
    return trouble_page(request, NotFound("no_page", "There is nothing at this address."))


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    return trouble_page(request, problem_of(exception))


def failed(request: HttpRequest) -> HttpResponse:
    """Django has logged it."""
    return trouble_page(request, Unexpected("internal_error", "This is our mistake; it has been logged."))
