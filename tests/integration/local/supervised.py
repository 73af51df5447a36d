"""A supervisor as its user meets it: a process of its own, judged by what runs and by what is left."""

import os
import pwd
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil

from workers.local.children import die_with
from workers.local.product import CHECKOUT

STAND_IN = "tests.integration.local.stand_in"
# So that any Python of this version finds the packages.
IMPORTS = {"PYTHONPATH": sysconfig.get_path("purelib"), "PYTHONDONTWRITEBYTECODE": "1"}


class Supervised:
    """One supervisor on a home of its own, by default over stand-ins for the product. It ends with the tests."""

    def __init__(
        self, home: Path, *, what: str = STAND_IN, user: str | None = None, python: str = sys.executable
    ) -> None:
        self.home = home
        self.process = subprocess.Popen(
            [python, "-m", *what.split()],
            cwd=CHECKOUT,
            env={**_own_environment(), "REFUNDRY_HOME": str(home), **IMPORTS},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            user=user,
            group=pwd.getpwnam(user).pw_gid if user else None,
            extra_groups=[] if user else None,
            preexec_fn=partial(die_with, os.getpid(), signal.SIGTERM),
        )
        self._begun = psutil.Process(self.process.pid).create_time()

    def wait_up(self) -> "Supervised":
        return self.wait_said("up")

    def wait_said(self, *words: str) -> "Supervised":
        """Until a line has all these words."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if set(words) <= set(line.split()):
                return self
        raise AssertionError(self.end()[1])

    def end(self) -> tuple[int, str, float]:
        """Exit code, what it complained of, and the seconds from now until then."""
        begun = time.monotonic()
        _, complaint = self.process.communicate(timeout=20)
        return self.process.returncode, complaint, time.monotonic() - begun

    def kill(self) -> None:
        """End all of it. Looked for again and again: one may start another while they are looked for, or killed."""
        while family := self.family():
            for process in family:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
        self.process.communicate()

    def urls(self) -> list[str]:
        return (self.home / "urls").read_text().split()

    def family(self) -> list[psutil.Process]:
        """Every process of this home since it was started, found by what it was started with or works in."""
        psutil.process_iter.cache_clear()
        return [process for process in psutil.process_iter() if self._owns(process)]

    def _owns(self, process: psutil.Process) -> bool:
        home = str(self.home)
        with suppress(psutil.Error):
            if process.create_time() < self._begun or process.status() == psutil.STATUS_ZOMBIE:
                return False
            traces = [process.cwd(), *process.cmdline(), process.environ().get("REFUNDRY_HOME", "")]
            return any(home in trace for trace in traces)
        return False


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether the condition came true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def _own_environment() -> dict[str, str]:
    """Without the test run's servers: a supervisor brings its own."""
    return {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
