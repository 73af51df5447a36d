"""The registry of a web process over real rows, and the thread that keeps it fresh."""

import os
import threading
import time
from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.db import connection

from config.serving import Poll
from orders.models import Channel
from orders.registry import Registry
from refunds.models import WebProcess
from refunds.services.manifests import serving
from tests.integration.channels.manifests import declare, look, look_at_what_goes, remove, said, web_process
from tests.waiting import eventually

OTHERS_END = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def poll(channels: Registry) -> Iterator[Poll]:
    """One that has just begun, and ends with the test."""
    channels.forget()
    poll = Poll(every=0.02)
    poll.start()
    yield poll
    poll.stop()


def until(holds: Callable[[], bool]) -> None:
    eventually(holds, seconds=20)


def test_what_is_loaded_is_told_under_the_process_s_name(poll: Poll, channels: Registry) -> None:
    until(lambda: WebProcess.objects.exists())
    process = WebProcess.objects.get()
    assert channels.is_loaded
    assert process.loaded == {"default": 0}
    assert process.name.split(":")[1] == str(os.getpid())
    until(lambda: WebProcess.objects.get().seen_at > process.seen_at)
    assert WebProcess.objects.get().started_at == process.started_at


def test_channels_come_change_and_go_at_run_time(poll: Poll, channels: Registry) -> None:
    """Check 65. TestResourceManagerAddedCRD, TestResourceManagerExistingCRD, TestMultipleCRDSameVersion,
    TestDiscoveryControllerResourceManagerRemovedCRD"""
    until(lambda: channels.is_loaded)
    declare("fashion", hostnames=["fashion.example"], origins=["https://fashion.example"])
    until(lambda: channels.at("fashion.example") is not None)
    declare("fashion", hostnames=["mode.example"], defaultLocale="zh-hans")
    until(lambda: channels.at("mode.example") is not None)
    now = channels.named("fashion")
    assert now is not None
    assert (now.generation, now.locale, now.origins) == (2, "zh-hans", ())
    assert channels.at("fashion.example") is None
    remove("fashion")
    assert look_at_what_goes("fashion")
    until(lambda: channels.named("fashion") is None)
    assert channels.at("mode.example") is None
    assert [served.slug for served in channels.all()] == ["default"]


def test_established_once_every_live_web_process_has_loaded_it(poll: Poll, channels: Registry) -> None:
    until(lambda: WebProcess.objects.exists())
    web_process("other:1", {"default": 0})
    web_process("gone:1", {"default": 0}, seen_ago=30)
    assert said(declare("fashion"), "Established") == ("False", "Installing")
    until(lambda: WebProcess.objects.get(name__contains=f":{os.getpid()}:").loaded.get("fashion") == 1)
    assert said(look("fashion"), "Established") == ("False", "Installing")
    web_process("other:1", {"default": 0, "fashion": 1})
    assert said(look("fashion"), "Established") == ("True", "Served")


def test_processes_not_heard_of_for_a_minute_are_forgotten(poll: Poll) -> None:
    web_process("gone:1", {}, seen_ago=61)
    web_process("late:1", {}, seen_ago=50)
    until(lambda: not WebProcess.objects.filter(name="gone:1").exists())
    assert WebProcess.objects.filter(name="late:1").exists()


def test_a_process_that_ends_its_poll_is_forgotten_at_once(channels: Registry) -> None:
    poll = Poll(every=0.02)
    poll.start()
    until(lambda: WebProcess.objects.exists())
    poll.stop()
    assert not WebProcess.objects.exists()


def test_a_process_that_forks_before_it_has_begun_reads_nothing(channels: Registry) -> None:
    channels.forget()
    poll = Poll(every=0.02)
    poll.start(wait=30)
    poll.stop()
    assert not channels.is_loaded


def test_it_outlives_a_lost_connection_and_serves_what_it_had_meanwhile(
    poll: Poll, channels: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    until(lambda: WebProcess.objects.exists())
    broken = threading.Event()

    def away(name: str, **_: object) -> None:
        broken.set()
        raise psycopg.OperationalError("the server closed the connection")

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(serving, "be_heard", away)
        assert broken.wait(20)
        assert channels.named("default") is not None
    with connection.cursor() as cursor:
        cursor.execute(OTHERS_END)
    heard = WebProcess.objects.get().seen_at
    Channel.objects.create(slug="new", name="New")
    until(lambda: channels.named("new") is not None)
    until(lambda: WebProcess.objects.get().seen_at > heard)


def test_the_poll_ends_with_its_process() -> None:
    poll = Poll(every=60)
    poll.start(wait=60)
    [thread] = [each for each in threading.enumerate() if each.name == "registry"]
    assert thread.daemon
    began = time.monotonic()
    poll.stop()
    assert time.monotonic() - began < 5
