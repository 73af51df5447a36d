"""Logging in: only who has a principal, and only so many tries per address and per user name."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.forms import AuthenticationForm

from orders.errors import Unavailable
from orders.rest.attempts import Who, address_of, usages
from orders.selectors.access import person_behind

LONGEST_NAME = 150


class LoginForm(AuthenticationForm):
    """A principal is what lets a user in, whatever Django's own flags say of him."""

    error_messages = AuthenticationForm.error_messages | {
        "no_principal": gettext_lazy(
            "This user has no role in Refundry. Ask whoever runs it to give the user one (Principal.user)."
        )
    }

    def confirm_login_allowed(self, user: AbstractBaseUser) -> None:
        if not user.is_active:
            raise self.get_invalid_login_error()
        if person_behind(user.pk) is None:
            raise ValidationError(self.error_messages["no_principal"], code="no_principal")


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    text: str
    retry_after: int


def refusal(request: HttpRequest) -> Refusal | None:
    """What is answered when there were too many failures, or nobody can tell."""
    return _usage(request, increment=False)


def count_failure(request: HttpRequest) -> Refusal | None:
    """Whoever knows his password is not counted."""
    return _usage(request, increment=True)


def _usage(request: HttpRequest, *, increment: bool) -> Refusal | None:
    try:
        used = usages(request, group="console.login", limits=LIMITS, increment=increment)
    except Unavailable:
        return Refusal(503, _("Logging in is not possible for the moment. Try again in a few seconds."), 5)
    waits = [usage["time_left"] for usage in used if usage["count"] >= usage["limit"]]
    if increment or not waits:
        return None
    return Refusal(429, _("Too many tries. Wait a few minutes, then log in again."), max(1, *waits))


def _name(group: str, request: HttpRequest) -> str:
    """As the form reads it: one user has one name, however it is written."""
    return LoginForm.base_fields["username"].to_python(request.POST.get("username", "")[:LONGEST_NAME]).casefold()


#: Failures that are let pass. An office shares an address; a user name is one person's.
LIMITS: dict[Who, str] = {address_of: "60/10m", _name: "10/10m"}
#: Words of the console's frame that its makers have no Chinese for.
FRAME = (gettext_lazy("Welcome back to"), gettext_lazy("Return to site"))
