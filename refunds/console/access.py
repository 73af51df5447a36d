"""Who sits at the console: a user whose principal says what he may see and do, whatever Django permits him."""

from django.http import HttpRequest

from orders.selectors.access import Colleague, person_behind


def person(request: HttpRequest) -> Colleague | None:
    """The principal of the logged-in user, read once per request; None for whom the console is not there."""
    if not hasattr(request, "console_person"):
        user = request.user
        here = person_behind(user.pk) if user.is_authenticated and user.is_active else None
        request.console_person = here  # type: ignore[attr-defined]
    return request.console_person  # type: ignore[attr-defined]


def agent(request: HttpRequest) -> Colleague:
    """For views behind the site's guard, which lets nobody else in."""
    here = person(request)
    assert here is not None
    return here
