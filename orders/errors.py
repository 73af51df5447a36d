"""The error tree of every door: each error says what is wrong, where, and with which HTTP status it is answered.

    Problem
    +-- Invalid       422  a field is wrong: `errors` names it
    +-- Forbidden     403  the role may not
    +-- NotFound      404  unknown or foreign, told apart by nobody
    +-- Conflict      409  the state of things forbids it
    +-- Stale         412  If-Match names an older version
    +-- Unavailable   503  try again: `retry_after` seconds

`code` is stable and for machines; `detail` is for people and says what to do next.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class FieldError:
    """`field` is a JSON path such as `lines[0].quantity`; empty for the whole body."""

    field: str
    code: str
    detail: str


class Problem(Exception):
    status = 500

    def __init__(self, code: str, detail: str, *, errors: tuple[FieldError, ...] = (), **extra: Any) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = errors
        self.extra = extra


class Invalid(Problem):
    status = 422

    @classmethod
    def of(cls, field: str, code: str, detail: str, **extra: Any) -> "Invalid":
        """One wrong field; the field's code is the problem's code."""
        return cls(code, detail, errors=(FieldError(field, code, detail),), **extra)


class Forbidden(Problem):
    status = 403


class NotFound(Problem):
    status = 404


class Conflict(Problem):
    status = 409


class Stale(Problem):
    status = 412


class Unavailable(Problem):
    status = 503
    retry_after = 1
