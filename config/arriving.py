"""The first thing that is done with a request."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from orders.rest import arrival


class Arriving:
    """Middleware; the outermost."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        arrival.note(request)
        return self.get_response(request)
