"""What Django turns away before any view has it, or after one has failed: JSON for programs, a page for people."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from orders.rest import problems
from refunds.pages import troubled

Handler = Callable[..., HttpResponse]


def _by_address(for_programs: Handler, for_people: Handler) -> Handler:
    def handle(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        is_program = request.path.startswith(("/api", "/healthz", "/readyz"))
        return (for_programs if is_program else for_people)(request, *args, **named)

    return handle


refused = _by_address(problems.refused, troubled.refused)
unknown_address = _by_address(problems.unknown_address, troubled.unknown_address)
failed = _by_address(problems.failed, troubled.failed)
