"""Every address takes the methods it is made for, and a HEAD is answered without a body."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from config import errors
from orders.rest.methods import methods_of
from orders.rest.problems import NotAllowed


class Methods:
    """Middleware; outside of whatever counts the length of an answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method == "HEAD" and not response.streaming:
            response.content = b""
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, named: Any
    ) -> HttpResponse | None:
        methods = methods_of(view)
        if methods is None or request.method in methods:
            return None
        problem = NotAllowed("method_not_allowed", f'Method "{request.method}" not allowed.')
        response = errors.refused(request, problem)
        response.headers["Allow"] = ", ".join(methods)
        return response
