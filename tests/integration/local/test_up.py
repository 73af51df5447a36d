"""`make up` with the real product, from an empty home."""

import json
import os
import signal
import subprocess
import sys
import urllib.request

import pytest

from tests.integration.local.supervised import Supervised, wait_for
from workers.local.ports import free_port

# Its longest test is not to be the last of a run: groups begin first.
pytestmark = pytest.mark.xdist_group("up")

UP = "workers.local.supervisor up"
# Nobody has to be ended by force: each part of it says goodbye in two or three seconds, and three have their turn.
STOP_SECONDS = 10


def _demo(supervised: Supervised) -> dict:
    return json.loads((supervised.home / "demo.json").read_text())


def _read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read().decode()


@pytest.mark.timeout(300)
def test_up_serves_the_demo_shop_and_leaves_nothing_however_it_ends(supervise, monkeypatch):
    port = str(free_port())
    monkeypatch.setenv("PORT", port)
    _ends_by_ctrl_c_while_the_shop_is_filled(supervise(what=UP).wait_up())
    supervised = supervise(what=UP).wait_up()
    demo = _demo(supervised)
    assert demo["base_url"].endswith(f":{port}")
    supervised.wait_said("demo", "shop", "is", "loaded:")
    front = _read(demo["base_url"])
    assert demo["console"][1]["password"] in front and "orders are ready" not in front
    supervised.process.kill()
    assert wait_for(lambda: supervised.family() == [], 8), supervised.family()


def _ends_by_ctrl_c_while_the_shop_is_filled(supervised: Supervised) -> None:
    demo = _demo(supervised)
    assert {"base_url", "sandbox_url", "inbox_url", "keys", "console", "links"} <= set(demo)
    _read(f"{demo['base_url']}/readyz")
    supervised.process.send_signal(signal.SIGINT)
    code, complaint, seconds = supervised.end()
    assert (code, complaint) == (0, "")
    assert seconds < STOP_SECONDS
    assert supervised.family() == []


def test_a_port_that_is_none_is_said_at_once(supervise, monkeypatch):
    monkeypatch.setenv("PORT", "abc")
    code, complaint, _ = supervise(what=UP).end()
    assert (code, complaint) == (1, "PORT=abc is no port: give a number from 1 to 65535, or none\n")


def test_the_demo_needs_a_product_that_is_up(home):
    home.mkdir()
    environment = {**os.environ, "REFUNDRY_HOME": str(home)}
    argv = [sys.executable, "-m", "workers.local.demo", "stories"]
    ended = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert "make up" in ended.stderr
