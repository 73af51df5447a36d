"""The console as unfold's admin site: who gets in, what its pages may load, and how a refusal looks.

Nothing is registered with it. Its lists and pages are views of our own, so there is nothing to add, change or delete.
"""

import logging
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from csp import constants as csp
from csp.decorators import csp_update
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from unfold.sites import UnfoldAdminSite

from orders.errors import NotFound, Problem
from refunds.console.access import person
from refunds.console.login import LoginForm, Refusal, count_failure, refusal
from refunds.console.refusals import in_words

logger = logging.getLogger(__name__)
View = Callable[..., Any]

#: Alpine evaluates what stands in attributes, and unfold writes its colours into the page. Scripts stay our own files.
relaxed = csp_update(
    {
        "script-src": [csp.SELF, csp.UNSAFE_EVAL],
        "style-src": [csp.SELF, csp.UNSAFE_INLINE],
        "img-src": [csp.SELF, "data:"],
    }
)


class Console(UnfoldAdminSite):
    login_form = LoginForm
    login_template = "console/login.html"

    def has_permission(self, request: HttpRequest) -> bool:
        return person(request) is not None

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        return relaxed(super().admin_view(_told(view), cacheable))

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        request.current_app = self.name
        return super().each_context(request)

    def enter(self, request: HttpRequest) -> HttpResponse:
        """The login page, which counts failures."""
        if request.method != "POST":
            is_nobody = request.user.is_authenticated and not self.has_permission(request)
            return self.login(request, {"is_nobody": is_nobody})
        if refused := refusal(request):
            return self._refused(request, refused)
        response = self.login(request)
        failed = response.status_code == HTTPStatus.OK
        refused = count_failure(request) if failed else None
        return self._refused(request, refused) if refused else response

    def _refused(self, request: HttpRequest, refused: Refusal) -> HttpResponse:
        context = {**self.each_context(request), "title": _("Log in"), "text": refused.text}
        response = render(request, "console/refused.html", context, status=refused.status)
        response.headers["Retry-After"] = str(refused.retry_after)
        return response


console = Console(name="console")


def show(request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    """A page of the console, rendered at once."""
    return render(request, template, {**console.each_context(request), **context}, status=status)


def nowhere(request: HttpRequest, **_kwargs: str) -> HttpResponse:
    raise NotFound("not_found", "")


def _told(view: View) -> View:
    """What a view is refused is a page, not a crash."""

    @wraps(view)
    def told(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except Problem as problem:
            title = _("Not found") if isinstance(problem, NotFound) else _("That cannot be done")
            context = {"title": title, "text": in_words(problem)}
            return show(request, "console/problem.html", context, status=problem.status)
        except (OperationalError, InterfaceError) as error:
            logger.warning("database unavailable: %s", error)
            response = render(request, "console/away.html", status=503)
            response.headers["Retry-After"] = "1"
            return response

    return told
