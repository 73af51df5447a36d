"""The harness of the story tests: it must be as reliable as what is tested with it."""

import json
import signal
import urllib.request

import psutil
import pytest
import redis

from tests.processes import Stack
from workers.local.children import ChildFailed

pytestmark = pytest.mark.xdist_group("crashes")


def _get(url: str) -> dict:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)


def test_all_parts_answer(fragile_stack: Stack):
    assert _get(f"{fragile_stack.base_url}/readyz") == {"status": "ok"}
    for peer in (fragile_stack.sandbox_url, fragile_stack.inbox_url):
        urllib.request.urlopen(f"{peer}/healthz", timeout=5).close()
    assert fragile_stack.authorization("shop")["Authorization"].startswith("Bearer ")


def test_a_killed_worker_leaves_no_child_and_comes_back(fragile_stack: Stack):
    before = fragile_stack.pids("worker")
    assert len(before) > 2
    fragile_stack.kill("worker")
    assert not [pid for pid in before if psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie"]
    fragile_stack.restart("worker")
    assert not set(before) & set(fragile_stack.pids("worker"))


def test_a_frozen_web_answers_again_when_it_wakes(fragile_stack: Stack):
    fragile_stack.send("web", signal.SIGSTOP)
    with pytest.raises(TimeoutError):
        urllib.request.urlopen(f"{fragile_stack.base_url}/healthz", timeout=0.3)
    fragile_stack.send("web", signal.SIGCONT)
    assert _get(f"{fragile_stack.base_url}/healthz") == {"status": "ok"}


def test_a_restarted_valkey_is_empty_and_at_the_same_address(fragile_stack: Stack):
    with redis.Redis.from_url(fragile_stack.redis_url) as client:
        client.set("hint", "1")
        fragile_stack.kill("valkey")
        fragile_stack.restart("valkey")
        assert client.get("hint") is None


def test_a_failed_start_is_told_the_logs():
    with pytest.raises(ChildFailed, match="ended with exit code") as caught, Stack(GATEWAY_ACCOUNTS="{").running():
        pass
    assert any("valkey.log" in note and "Ready to accept" in note for note in caught.value.__notes__)
