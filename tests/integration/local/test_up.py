"""`make up` with the real product, from an empty home."""

import json
import signal
import urllib.request

from tests.integration.local.supervised import Supervised, wait_for
from workers.local.ports import free_port

UP = "workers.local.supervisor up"


def _demo(supervised: Supervised) -> dict:
    return json.loads((supervised.home / "demo.json").read_text())


def test_up_serves_the_demo_shop_and_ctrl_c_ends_all_of_it(supervise):
    supervised = supervise(what=UP).wait_up()
    demo = _demo(supervised)
    assert {"base_url", "sandbox_url", "inbox_url", "keys", "console", "links"} <= set(demo)
    urllib.request.urlopen(f"{demo['base_url']}/readyz", timeout=5).close()
    supervised.process.send_signal(signal.SIGINT)
    code, complaint, seconds = supervised.end()
    assert (code, complaint) == (0, "")
    assert seconds < 6
    assert supervised.family() == []


def test_the_port_can_be_chosen_and_a_killed_supervisor_leaves_no_web_behind(supervise, monkeypatch):
    port = str(free_port())
    monkeypatch.setenv("PORT", port)
    supervised = supervise(what=UP).wait_up()
    assert _demo(supervised)["base_url"].endswith(f":{port}")
    supervised.process.kill()
    assert wait_for(lambda: supervised.family() == [], 8), supervised.family()
