"""The harness of the story tests: it must be as reliable as what is tested with it."""

import json
import signal
import urllib.request
from collections.abc import Iterator

import psutil
import pytest
import redis

from tests.processes import Stack
from workers.local.children import ChildFailed

pytestmark = pytest.mark.xdist_group("stack")


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with Stack().running() as running:
        yield running


def _get(url: str) -> dict:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)


def test_all_parts_answer(stack: Stack):
    assert _get(f"{stack.base_url}/readyz") == {"status": "ok"}
    for peer in (stack.sandbox_url, stack.inbox_url):
        urllib.request.urlopen(f"{peer}/healthz", timeout=5).close()
    assert stack.authorization("shop")["Authorization"].startswith("Bearer ")


def test_a_killed_worker_leaves_no_child_and_comes_back(stack: Stack):
    before = stack.pids("worker")
    assert len(before) > 2
    stack.kill("worker")
    assert not [pid for pid in before if psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie"]
    stack.restart("worker")
    assert not set(before) & set(stack.pids("worker"))


def test_a_frozen_web_answers_again_when_it_wakes(stack: Stack):
    stack.send("web", signal.SIGSTOP)
    with pytest.raises(TimeoutError):
        urllib.request.urlopen(f"{stack.base_url}/healthz", timeout=0.3)
    stack.send("web", signal.SIGCONT)
    assert _get(f"{stack.base_url}/healthz") == {"status": "ok"}


def test_a_restarted_valkey_is_empty_and_at_the_same_address(stack: Stack):
    with redis.Redis.from_url(stack.redis_url) as client:
        client.set("hint", "1")
        stack.kill("valkey")
        stack.restart("valkey")
        assert client.get("hint") is None


def test_a_failed_start_is_told_the_logs():
    with pytest.raises(ChildFailed, match="ended with exit code") as caught, Stack(GATEWAY_ACCOUNTS="{").running():
        pass
    assert any("valkey.log" in note and "Ready to accept" in note for note in caught.value.__notes__)
