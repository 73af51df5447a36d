"""What Django turns away before any view has it, or after one has failed: JSON for programs, a page for people."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import DisallowedHost, PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from orders.rest import problems
from orders.rest.arrival import NotLoaded, was_ready
from refunds.console import site
from refunds.pages import troubled

Handler = Callable[..., HttpResponse]


def _by_reader(for_programs: Handler, for_people: Handler) -> Handler:
    def handle(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        return (for_people if _is_person(request) else for_programs)(request, *args, **named)

    return handle


def _is_person(request: HttpRequest) -> bool:
    """At the customer's pages, or with a browser anywhere but at the API."""
    asks_for_a_page = "text/html" in request.headers.get("accept", "")
    return request.path.startswith("/r/") or (asks_for_a_page and not request.path.startswith("/api"))


_refused = _by_reader(problems.refused, troubled.refused)
unknown_address = _by_reader(problems.unknown_address, troubled.unknown_address)
failed = _by_reader(problems.failed, troubled.failed)


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A host name that nobody knows may be a channel's, as long as these are not loaded."""
    is_early = isinstance(exception, DisallowedHost) and not was_ready(request)
    return _refused(request, NotLoaded() if is_early else exception)


def not_from_here(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """A form without the token that a page of ours gave it, or with an older one."""
    if request.path.startswith("/console/"):
        return site.outdated(request)
    return refused(request, PermissionDenied(reason))
