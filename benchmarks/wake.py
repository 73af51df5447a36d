"""Wake: how long an idle system takes from the commit of a request to the claim of its money.

Requests are made in this process, one after the other, the system left alone before each. Both ends are of one clock:
the moment when the commit has returned, and the claim's own time, which T1 takes after it has locked, loaded and
decided.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connection, transaction

from benchmarks.budgets import Budget
from benchmarks.figures import Figures, percentiles_ms
from benchmarks.goals import Goal
from benchmarks.installation import Installation
from tests.factories import make_order, request

GOAL = "a median of at most 20 ms"
LIMIT_SECONDS = 30.0
LOOK_SECONDS = 0.05
_CLAIMED = "SELECT extract(epoch FROM first_sent_at)::float FROM refunds_gatewayrefund WHERE refund_id = %s"
_AT_REST = """
SELECT NOT EXISTS (SELECT FROM refunds_refund WHERE id = %(id)s AND next_reconcile_at IS NOT NULL)
AND NOT EXISTS (SELECT FROM refunds_notification WHERE refund_id = %(id)s AND next_reconcile_at IS NOT NULL)
"""


def run(stage: Installation, budget: Budget, *, quick: bool) -> list[Figures | Goal]:
    """A pump lingers for some seconds after its last work; later a message of Celery's has to bring one."""
    lingering = settings.LINGER_SECONDS + 1.5
    _wake()
    rows = {
        "a pump waits": _measure(1.0, 4 if quick else 20),
        "no pump runs": _measure(lingering, 2 if quick else 6),
    }
    return [Figures("wake: from the commit of a request to the claim of its money", rows, GOAL)]


def _measure(idle_seconds: float, requests: int) -> dict[str, float]:
    waits = []
    for _ in range(requests):
        time.sleep(idle_seconds)
        waits.append(_wake())
    return {"requests": requests, **percentiles_ms(waits)}


def _wake() -> float:
    """Seconds, when all of it has come to rest again."""
    order, committed = make_order(), list[float]()
    with transaction.atomic():
        transaction.on_commit(lambda: committed.append(time.time()))
        [refund] = request(order).refunds
    _wait_until(partial(_first, _CLAIMED, [refund.id]))
    _wait_until(partial(_first, _AT_REST, {"id": refund.id}))
    return _first(_CLAIMED, [refund.id]) - committed[0]


def _wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_SECONDS
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError("the system did not wake up")
        time.sleep(LOOK_SECONDS)


def _first(query: str, parameters: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return cursor.fetchone()[0]
