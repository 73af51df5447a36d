"""Two lanes. A door of the API is answered at once; whatever else is asked for passes through what browsers need:
static files, sessions, languages, the tokens of forms. For a door all of that costs as much as its work."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils import translation

from orders.rest.door import Door

#: An answer is data, and no page.
HEADERS = {"X-Frame-Options": "DENY", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}


class Lanes:
    """Middleware; everything after it is for browsers alone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        match = _door_at(request.path_info)
        return self.get_response(request) if match is None else _answer(request, match)


def _door_at(path: str) -> ResolverMatch | None:
    if not path.startswith("/api/"):
        return None
    try:
        match = resolve(path)
    except Resolver404:
        return None
    return match if issubclass(getattr(match.func, "cls", object), Door) else None


def _answer(request: HttpRequest, match: ResolverMatch) -> HttpResponse:
    request.get_host()  # raises DisallowedHost
    translation.deactivate()
    request.resolver_match = match
    response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if not response.streaming:
        response.headers["Content-Length"] = str(len(response.content))
    return response
