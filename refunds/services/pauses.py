"""Stopping queues, for as long as an operator says. Redis is told again by each sweep, and by a pump that
finds it emptied."""

from collections.abc import Collection

from refunds.models import PausedQueue
from refunds.records import execute


def pause(queues: Collection[str]) -> None:
    execute(
        "INSERT INTO refunds_pausedqueue (name, paused_at) SELECT unnest(%b::text[]), refundry_now()"
        " ON CONFLICT DO NOTHING",
        [list(queues)],
    )


def resume(queues: Collection[str]) -> None:
    PausedQueue.objects.filter(name__in=queues).delete()


def paused_queues() -> list[str]:
    return [row[0] for row in execute("SELECT name FROM refunds_pausedqueue ORDER BY name").fetchall()]
