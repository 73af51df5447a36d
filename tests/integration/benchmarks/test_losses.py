"""A process of a pool that was killed is noticed, though its parent replaces it."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from benchmarks.losses import Losses, ProcessLost
from workers.local.children import Child, Children, Command
from workers.local.ports import LOOPBACK, free_port, is_listening
from workers.local.product import CHECKOUT


@pytest.fixture
def children(tmp_path: Path) -> Iterator[Children]:
    children = Children(tmp_path)
    yield children
    children.stop()


def kill_one_of(parent: Child, children: Children) -> int:
    """When it has been replaced."""
    of = psutil.Process(parent.process.pid)
    children.wait_until(parent, lambda: len(of.children()) > 1)
    victim = of.children()[-1].pid
    os.kill(victim, signal.SIGKILL)
    children.wait_until(parent, lambda: str(victim) in parent.log.read_text() and "SIGKILL" in parent.log.read_text())
    return victim


def test_a_killed_worker_of_celery_is_told_of_once(children: Children, tmp_path: Path) -> None:
    options = "worker --concurrency 2 --loglevel INFO --without-gossip --without-mingle --pool prefork"
    argv = [sys.executable, "-m", "celery", "--app", "config", *options.split()]
    worker = children.start(Command("worker", argv, dict(os.environ), cwd=CHECKOUT))
    children.wait_until(worker, lambda: worker.says(" ready."))
    losses = Losses(tmp_path)
    losses.check()
    victim = kill_one_of(worker, children)
    with pytest.raises(ProcessLost, match=rf"worker: Process 'ForkPoolWorker-\d' pid:{victim} exited with .*SIGKILL"):
        losses.check()
    losses.check()


def test_a_killed_worker_of_gunicorn_is_told_of(children: Children, tmp_path: Path) -> None:
    port = free_port()
    options = f"config.wsgi --bind {LOOPBACK}:{port} --workers 2 --preload --no-control-socket"
    argv = [sys.executable, "-m", "gunicorn", *options.split()]
    web = children.start(Command("web", argv, dict(os.environ), cwd=CHECKOUT))
    children.wait_until(web, lambda: is_listening(port))
    victim = kill_one_of(web, children)
    with pytest.raises(ProcessLost, match=rf"web: Worker \(pid:{victim}\) was sent SIGKILL"):
        Losses(tmp_path).check()
