"""Children: what they are told, and what is said of their end."""

import os
import signal
import sys

import pytest

from workers.local.children import ChildFailed, Children, Command


@pytest.fixture
def children(tmp_path):
    kept = Children(tmp_path)
    yield kept
    kept.stop()


def _python(name: str, script: str, **options) -> Command:
    return Command(name, [sys.executable, "-c", script], dict(os.environ), **options)


def test_a_failing_command_is_reported_with_its_last_words(children):
    with pytest.raises(ChildFailed, match="(?s)migrate ended with exit code 4.*no such table"):
        children.run(_python("migrate", "print('no such table'); raise SystemExit(4)"))


def test_words_of_an_earlier_run_do_not_count(children):
    children.run(_python("worker", "print('ready')"))
    again = children.start(_python("worker", "import time; time.sleep(60)"))
    assert not again.says("ready")


def test_a_child_that_never_gets_ready_is_named(children):
    child = children.start(_python("web", "import time; time.sleep(60)"))
    with pytest.raises(ChildFailed, match="web was not ready within 0.1 s"):
        children.wait_until(child, lambda: False, seconds=0.1)


def test_waiting_ends_when_another_child_ends(children):
    waiting = children.start(_python("web", "import time; time.sleep(60)"))
    children.start(_python("valkey", "raise SystemExit(1)"))
    with pytest.raises(ChildFailed, match="valkey ended with exit code 1"):
        children.wait_until(waiting, lambda: False)


def test_higher_ranks_stop_first(tmp_path):
    children = Children(tmp_path)
    script = """
import signal, sys, time
def leave(number, frame):
    time.sleep(0.2); open(sys.argv[1], "a").write(sys.argv[2]); sys.exit()
signal.signal(signal.SIGTERM, leave); print("ready", flush=True); time.sleep(60)
"""
    order = tmp_path / "order"
    for rank in (0, 2, 1):
        argv = [sys.executable, "-c", script, str(order), str(rank)]
        child = children.start(Command(f"rank{rank}", argv, dict(os.environ), rank=rank))
        children.wait_until(child, lambda child=child: child.says("ready"))
    children.stop()
    assert order.read_text() == "210"


def test_a_killed_child_is_no_longer_watched(children):
    child = children.start(_python("worker", "import time; time.sleep(60)"))
    children.kill(child, signal.SIGKILL)
    children.check()
    assert child.process.returncode == -signal.SIGKILL


def test_a_passing_child_that_fails_is_told_of_and_ends_nothing_else(children, capfd):
    staying = children.start(_python("web", "import time; time.sleep(60)"))
    passing = children.start(_python("demo", "print('12 of 37'); raise SystemExit('no shop')", passing=True))
    passing.process.wait()
    children.check()
    children.check()
    said = capfd.readouterr()
    assert said.out == "12 of 37\n"
    assert said.err.count("demo ended with exit code 1") == 1 and "no shop" in said.err
    assert staying.process.poll() is None
