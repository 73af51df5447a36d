"""The console as unfold's admin site: who gets in, what its pages may load, and how a refusal looks.

Nothing is registered with it. Its lists and pages are views of our own, so there is nothing to add, change or delete.
"""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from csp import constants as csp
from csp.decorators import csp_update
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import resolve, reverse
from django.utils.translation import gettext as _
from unfold.sites import UnfoldAdminSite

from orders.errors import NotFound, Problem, Unavailable
from orders.rest.methods import READS
from orders.rest.problems import problem_of
from refunds.console.access import person
from refunds.console.forms import long_texts
from refunds.console.login import LoginForm, Refusal, count_failure, refusal
from refunds.console.refusals import in_words

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
        guarded = super().admin_view(_told(view), cacheable)

        @wraps(guarded)
        def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            return self._logged_out(request) if self._is_late(request) else guarded(request, *args, **kwargs)

        return relaxed(inner)

    def _is_late(self, request: HttpRequest) -> bool:
        """A form is sent by who is not logged in any more."""
        is_form = request.method == "POST" and request.path != reverse("console:logout")
        return is_form and not self.has_permission(request)

    def _logged_out(self, request: HttpRequest) -> HttpResponse:
        return self.lost(request, _("You are logged out, so nothing was done. Log in, and send it again."))

    def lost(self, request: HttpRequest, text: str) -> HttpResponse:
        """For a form that is not taken: what was typed into it, and the way to its page, through a login if need be."""
        facts = {"title": _("Nothing was done"), "text": text, "typed": long_texts(request.POST), "back": request.path}
        return render(request, "console/lost.html", {**self.each_context(request), **facts}, status=403)

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


@relaxed
def outdated(request: HttpRequest) -> HttpResponse:
    """For a form whose page was shown before somebody logged in or out with this browser."""
    text = _("Somebody has logged in or out with this browser since this page was opened, so nothing was done.")
    return console.lost(request, text)


def nowhere(request: HttpRequest, address: str) -> HttpResponse:
    """An address that lacks nothing but its slash leads on."""
    whole = f"{request.path}/"
    if request.method in READS and resolve(whole).url_name != "nowhere":
        return HttpResponseRedirect(f"{whole}?{request.GET.urlencode()}".rstrip("?"))
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
        except DatabaseError as error:
            if not isinstance(problem_of(error), Unavailable):
                raise
            response = render(request, "console/away.html", status=503)
            response.headers["Retry-After"] = "1"
            return response

    return told
