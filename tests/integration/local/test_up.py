"""`make up` with the real product, from an empty home."""

import json
import os
import signal
import subprocess
import sys
import urllib.request

from tests.integration.local.supervised import Supervised, wait_for
from workers.local.ports import free_port

UP = "workers.local.supervisor up"


def _demo(supervised: Supervised) -> dict:
    return json.loads((supervised.home / "demo.json").read_text())


def _read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return answer.read().decode()


def test_up_serves_the_demo_shop_and_ctrl_c_ends_all_of_it(supervise):
    supervised = supervise(what=UP).wait_up()  # the shop is still being filled
    demo = _demo(supervised)
    assert {"base_url", "sandbox_url", "inbox_url", "keys", "console", "links"} <= set(demo)
    urllib.request.urlopen(f"{demo['base_url']}/readyz", timeout=5).close()
    supervised.process.send_signal(signal.SIGINT)
    code, complaint, seconds = supervised.end()
    assert (code, complaint) == (0, "")
    assert seconds < 6
    assert supervised.family() == []


def test_the_shop_is_filled_at_the_port_that_was_chosen_and_a_killed_supervisor_leaves_no_web_behind(
    supervise, monkeypatch
):
    port = str(free_port())
    monkeypatch.setenv("PORT", port)
    supervised = supervise(what=UP).wait_up()
    demo = _demo(supervised)
    assert demo["base_url"].endswith(f":{port}")
    supervised.wait_said("demo", "shop", "is", "loaded:")
    front = _read(demo["base_url"])
    assert demo["console"][1]["password"] in front and "orders are ready" not in front
    supervised.process.kill()
    assert wait_for(lambda: supervised.family() == [], 8), supervised.family()


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
