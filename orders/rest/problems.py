"""Every error of every door as RFC 9457 `application/problem+json` with a stable `code`.

What a door raises as `Problem` is rendered as it is; what Django, REST framework or the database raise is
translated here, in one table. The last resort is a logged 500 that says nothing of the inside.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, DisallowedHost, PermissionDenied, SuspiciousOperation
from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.settings import api_settings

from orders.errors import FieldError, Forbidden, Invalid, NotFound, Problem, Unavailable
from orders.locks import LOCK_NOT_AVAILABLE, LockNotHad
from orders.rest.answers import render

logger = logging.getLogger(__name__)
PROBLEM_TYPE = "application/problem+json"
DEADLOCK = "40P01"
#: PostgreSQL has ended a transaction whose process did nothing for too long, and with it its locks.
IDLE_TOO_LONG = "25P03"

#: Codes of REST framework's own fields, in our words.
CODES = {
    "min_value": "too_small",
    "max_value": "too_large",
    "max_length": "too_long",
    "min_length": "too_short",
    "invalid_choice": "unknown_value",
    "null_characters_not_allowed": "forbidden_character",
    "surrogate_characters_not_allowed": "forbidden_character",
}


class Unreadable(Problem):
    status = 400


class Unauthenticated(Problem):
    status = 401


class NotAllowed(Problem):
    status = 405


class NotAcceptable(Problem):
    status = 406


class LengthRequired(Problem):
    status = 411


class TooLarge(Problem):
    status = 413


class UnsupportedMedia(Problem):
    status = 415


class Unexpected(Problem):
    status = 500


def problem_body(problem: Problem, *, within: str = "") -> dict[str, Any]:
    """The problem as JSON; `within`: the path of that part of the body which the problem is with."""
    title = HTTPStatus(problem.status).phrase
    body = {"type": "about:blank", "title": title, "status": problem.status, "code": problem.code}
    errors = [_error(error, within) for error in problem.errors]
    return body | {"detail": problem.detail, "errors": errors} | problem.extra


def problem_response(problem: Problem) -> HttpResponse:
    response = HttpResponse(render(problem_body(problem)), status=problem.status, content_type=PROBLEM_TYPE)
    if isinstance(problem, Unauthenticated):
        response.headers["WWW-Authenticate"] = 'Bearer realm="refundry"'
    if isinstance(problem, Unavailable):
        response.headers["Retry-After"] = str(problem.retry_after)
    return response


def _error(error: FieldError, within: str) -> dict[str, str]:
    field = ".".join(part for part in (within, error.field) if part)
    return {"field": field, "code": error.code, "detail": error.detail}


def handle(error: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """REST framework's exception handler: each error a door lets out becomes a problem."""
    problem = problem_of(error)
    if isinstance(problem, Unexpected):
        logger.error("%s failed", context["request"].path, exc_info=error)
    return problem_response(problem)


@csrf_exempt
def unknown_address(request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
    """The view behind every unknown address, for every method."""
    return problem_response(NotFound("not_found", "There is nothing at this address."))


def refused(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler of what it turns away before any view has it, such as a wrong Host."""
    return problem_response(problem_of(exception))


def failed(request: HttpRequest) -> HttpResponse:
    """Django's handler of what goes wrong outside the doors; Django has logged it."""
    return problem_response(_unexpected())


def problem_of(error: Exception) -> Problem:
    """The problem that an error is; `Unexpected` for what nobody reckoned with."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, exceptions.ValidationError):
        return invalid(error.detail)
    if isinstance(error, DatabaseError):
        return _of_database(error)
    return next((make(error) for kinds, make in TRANSLATIONS if isinstance(error, kinds)), None) or _unexpected()


def _busy(_: Exception) -> Problem:
    return Unavailable("busy", "The order is being changed by somebody else: send this again.")


def _of_database(error: Exception) -> Problem:
    sqlstate = getattr(error.__cause__, "sqlstate", None)
    if sqlstate in (LOCK_NOT_AVAILABLE, DEADLOCK, IDLE_TOO_LONG):
        return _busy(error)
    if not isinstance(error, OperationalError | InterfaceError):
        return _unexpected()
    logger.warning("database unavailable: %s", error)
    return Unavailable("unavailable", "The database cannot be reached: send this again.")


def _unexpected() -> Problem:
    return Unexpected("internal_error", "This is our mistake; it has been logged. Sending it again is safe.")


TRANSLATIONS: tuple[tuple[tuple[type[Exception], ...], Callable[[Any], Problem]], ...] = (
    (
        (Http404, exceptions.NotFound),
        lambda _: NotFound("not_found", "There is no such thing here."),
    ),
    (
        (PermissionDenied, exceptions.PermissionDenied),
        lambda _: Forbidden("forbidden", "This key may not do that."),
    ),
    (
        (exceptions.MethodNotAllowed,),
        lambda error: NotAllowed("method_not_allowed", str(error.detail)),
    ),
    (
        (exceptions.NotAcceptable,),
        lambda _: NotAcceptable("not_acceptable", "Answers are application/json."),
    ),
    (
        (DisallowedHost,),
        lambda _: Unreadable("unknown_host", "This is not the address of this installation: see ALLOWED_HOSTS."),
    ),
    (
        (SuspiciousOperation, BadRequest, MultiPartParserError, UnreadablePostError),
        lambda _: Unreadable("bad_request", "The request is not one that can be read."),
    ),
    ((LockNotHad,), _busy),
)


def invalid(detail: Any) -> Invalid:
    """A tree of field errors as one problem; a single error gives the problem its code."""
    errors = tuple(_flatten(detail, ""))
    if len(errors) == 1:
        return Invalid(errors[0].code, _sentence(errors[0]), errors=errors)
    return Invalid("invalid_fields", "; ".join(_sentence(error) for error in errors[:3]), errors=errors)


def _sentence(error: FieldError) -> str:
    return f"{error.field}: {error.detail}" if error.field else error.detail


def _flatten(detail: Any, path: str) -> Iterator[FieldError]:
    if isinstance(detail, Mapping):
        for key, below in detail.items():
            yield from _flatten(below, _step(path, key))
    elif isinstance(detail, Sequence) and not isinstance(detail, str):
        for index, below in enumerate(detail):
            yield from _flatten(below, f"{path}[{index}]" if isinstance(below, Mapping) else path)
    else:
        yield FieldError(path, CODES.get(detail.code, detail.code), str(detail))


def _step(path: str, key: str | int) -> str:
    if key == api_settings.NON_FIELD_ERRORS_KEY:
        return path
    if isinstance(key, int):
        return f"{path}[{key}]"
    name = key.encode("utf-8", "backslashreplace").decode()[:100].replace("\0", "\\0")
    return f"{path}.{name}" if path else name
