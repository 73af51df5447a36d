"""A repeated POST does its work once: its answer is kept in the transaction of the work and given again.

Only answers whose work was committed are kept; a refused request left nothing behind and is judged anew.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, connection, transaction
from django.http import HttpRequest, HttpResponse

from orders.errors import Conflict, Invalid
from orders.locks import WEB_WAIT_MS, lock_had
from orders.rest.answers import JSON_TYPE
from refunds.records import execute

REPLAY_HEADER = "Idempotent-Replay"
KEPT_HEADERS = ("ETag", "Location")
FORM_TOKEN = re.compile("[A-Za-z0-9]{1,64}")

# The lock is taken in the statement that looks: one that committed just between is met by the unique row below.
LOOK = """
WITH lock AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(%s::bigint) AS had)
SELECT lock.had, kept.body_digest, kept.status, kept.answer::text FROM lock LEFT JOIN orders_idempotencyrecord kept
ON kept.principal_id = %s AND kept.method = %s AND kept.path = %s AND kept.key = %s
"""
KEEP = """
INSERT INTO orders_idempotencyrecord (principal_id, method, path, key, body_digest, status, answer, created_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, refundry_now())
"""


@dataclass(frozen=True, slots=True)
class Repeatable:
    """What makes two requests the same one, and the digest that tells whether they ask the same."""

    principal_id: int
    method: str
    path: str
    key: str
    digest: str

    @property
    def identity(self) -> list[Any]:
        return [self.principal_id, self.method, self.path, self.key]

    @property
    def lock(self) -> int:
        seed = hashlib.sha256(json.dumps(self.identity).encode()).digest()
        return int.from_bytes(seed[:8], signed=True)


def digest_of(*parts: Any) -> str:
    """Of JSON values, whatever the order of their names."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def digest_of_form(request: HttpRequest) -> str:
    """Of all that was sent with a form, files by what they hold."""
    said = {name: values for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"}
    files = {name: [_digest_of_file(file) for file in files] for name, files in request.FILES.lists()}
    return digest_of(said, files)


def _digest_of_file(file: UploadedFile) -> str:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def once(request: Repeatable, work: Callable[[], HttpResponse]) -> HttpResponse:
    """Do `work` in one transaction with its kept answer, or give the answer kept before."""
    try:
        return _look_or_work(request, work)
    except IntegrityError as error:
        if "idempotency_key_once" not in str(error):
            raise
        return _look_or_work(request, work)


@transaction.atomic
def once_in_turn(form: Repeatable, work: Callable[[], HttpResponse]) -> HttpResponse:
    """`once` for a person's form, whose key is the token it carries: sent again while it is at work, it waits.

    Raises Invalid for what is no token of ours, and LockNotHad when the first takes too long.
    """
    if not FORM_TOKEN.fullmatch(form.key):
        raise Invalid.of("", "form_incomplete", "The form carries no token.")
    _wait_for(form)
    return once(form, work)


def _wait_for(form: Repeatable) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{WEB_WAIT_MS}ms"])
        with lock_had(f"the form {form.key} is still at work"):
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [form.lock])


@transaction.atomic
def _look_or_work(request: Repeatable, work: Callable[[], HttpResponse]) -> HttpResponse:
    [(had, digest, status, kept)] = execute(LOOK, [request.lock, *request.identity]).fetchall()
    if digest is not None:
        return _again(request, digest=digest, status=status, kept=json.loads(kept))
    if not had:
        raise Conflict("idempotency_key_in_use", "A request with this Idempotency-Key is still running.")
    response = work()
    if response.status_code < 300:
        _keep(request, response)
    return response


def _again(request: Repeatable, *, digest: str, status: int, kept: dict[str, Any]) -> HttpResponse:
    if digest != request.digest:
        detail = "This Idempotency-Key was used for another request: take a new one."
        raise Invalid.of("Idempotency-Key", "idempotency_key_reused", detail)
    headers = kept["headers"] | {REPLAY_HEADER: "true"}
    return HttpResponse(kept["body"], status=status, content_type=JSON_TYPE, headers=headers)


def _keep(request: Repeatable, response: HttpResponse) -> None:
    headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
    kept = json.dumps({"body": response.content.decode(), "headers": headers})
    execute(KEEP, [*request.identity, request.digest, response.status_code, kept])
