"""`manage.py queue`: what an operator sees of the queues and may do to them."""

from io import StringIO
from typing import Any

import pytest
import redis
from django.core.management import CommandError, call_command

from refunds.models import PausedQueue
from tests.integration.engine.money import asked_for
from workers import bootstrap, tasks
from workers.workqueue import Band, error

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("queue", *arguments, stdout=out)
    return out.getvalue()


def taken(n: int = 10) -> list[str]:
    return [f"{lease.queue}/{lease.key}" for lease in bootstrap.workqueue().get("pump", n).leases]


def test_stats_are_a_line_per_queue() -> None:
    bootstrap.workqueue().add("refunds", ["1", "2"])
    bootstrap.workqueue().add("refunds", ["3"], delay=60)
    lines = run("stats").splitlines()
    assert lines[0].split()[:4] == ["QUEUE", "DEPTH", "HIGH", "LOW"]
    assert lines[1].split()[:7] == ["refunds", "2", "2", "0", "0", "1", "0"]
    assert lines[-1].startswith("pumps: 0 of ")


def test_a_paused_queue_waits_until_it_is_resumed() -> None:
    bootstrap.workqueue().add("refunds", ["1"])
    bootstrap.workqueue().add("notifications", ["1"])
    assert run("pause", "refunds") == "paused: refunds\n"
    assert taken() == ["notifications/1"]
    assert run("resume") == "paused: none\n"
    assert taken() == ["refunds/1"]


@pytest.mark.django_db(transaction=True)
def test_a_pause_outlives_an_emptied_redis(redis_client: redis.Redis) -> None:
    """The sweep says it again: what a person has stopped starts by a person's word alone."""
    run("pause")
    redis_client.flushdb()
    tasks.sweep()
    bootstrap.workqueue().add("refunds", ["1"])
    assert taken() == []
    assert PausedQueue.objects.count() == len(bootstrap.QUEUES)


def test_resuming_calls_for_a_pump(redis_client: redis.Redis) -> None:
    run("pause", "refunds")
    bootstrap.workqueue().add("refunds", ["1"])
    assert redis_client.llen("celery") == 0
    run("resume", "refunds")
    assert redis_client.llen("celery") == 1


def test_forget_ends_the_growth_of_the_back_off() -> None:
    key, queue = str(asked_for(1000).pk), bootstrap.workqueue()
    queue.add("refunds", [key])
    queue.finish([(queue.get("pump", 1).leases[0], error(ValueError()))])
    assert run("forget", f"refunds/{key}") == f"refunds/{key}: its failures are forgotten\n"
    assert queue.find("refunds", key).due_in is not None
    assert run("forget", f"refunds/{key}") == f"refunds/{key}: nothing was remembered of it\n"


def test_requeue_brings_a_refund_into_the_high_band_at_once() -> None:
    refund, queue = asked_for(1000), bootstrap.workqueue()
    queue.add("refunds", [str(refund.pk)], delay=600)
    assert run("requeue", f"refund/{refund.number}") == f"refunds/{refund.pk}: added\n"
    at = queue.find("refunds", str(refund.pk))
    assert (at.band, at.place) == ("high", 1)


def test_requeue_says_that_the_queue_is_paused_or_the_key_waits_anyway() -> None:
    run("pause", "refunds")
    key = str(asked_for(1000).pk)
    bootstrap.workqueue().add("refunds", [key], band=Band.LOW)
    told = f"refunds/{key}: waits already, now in the high band; the queue is paused\n"
    assert run("requeue", f"refunds/{key}") == told


def test_requeue_says_that_a_key_in_hand_runs_once_more() -> None:
    key, queue = str(asked_for(1000).pk), bootstrap.workqueue()
    queue.add("refunds", [key])
    queue.get("pump", 1)
    for _ in range(2):
        assert run("requeue", f"refunds/{key}") == f"refunds/{key}: held by a pump, runs once more afterwards\n"


def test_a_key_is_written_in_one_way_and_names_what_is_there(settings: Any) -> None:
    """An alias would have two syncs of one refund at once, and what names nothing would be looked at for ever."""
    settings.GATEWAY_ACCOUNTS = {"sandbox": {}}
    pk = asked_for(1000).pk
    for key in (f"refunds/0{pk}", "refunds/abc", f"refunds/{'9' * 23}", "orphans/zzz", "notifications/999999"):
        with pytest.raises(CommandError, match="nothing that is there; its keys are ids"):
            run("requeue", key)
    with pytest.raises(CommandError, match="its keys are the gateway accounts: sandbox"):
        run("requeue", "listings/nosuch")
    assert run("requeue", "listings/sandbox") == "listings/sandbox: added\n"
    depths = {name: queue.depth for name, queue in bootstrap.workqueue().stats().queues.items()}
    assert depths.pop("listings") == 1 and not any(depths.values())


@pytest.mark.parametrize(
    "arguments",
    [["requeue", "refund/RF-999999"], ["requeue", "1042"], ["forget", "orders/1"], ["pause", "refund"]],
    ids=["no such refund", "no queue", "no such queue", "no such queue to pause"],
)
def test_what_is_not_there_is_named(arguments: list[str]) -> None:
    with pytest.raises(CommandError, match=arguments[-1].partition("/")[2] or arguments[-1]):
        run(*arguments)


def test_without_redis_the_command_fails_and_says_so(settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    bootstrap.impatient_workqueue.cache_clear()
    with pytest.raises(CommandError, match="Redis does not answer"):
        run("stats")
    with pytest.raises(CommandError, match="paused: refunds, as soon as Redis answers"):
        run("pause", "refunds")
