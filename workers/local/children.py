"""Processes that live and die with the one that started them.

Three nets, each under the one before: `stop` in order; the kernel's parent-death signal to each child; and
the reaper, which ends whole process groups (a child's own children too) when the starter is gone.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from workers.local.accounts import Account
from workers.local.stopping import STOP_SIGNALS

PR_SET_PDEATHSIG = 1
LOG_LINES = 15
POLL_SECONDS = 0.02
# A zombie still counts as its group; where nobody buries it, do not wait for ever.
GROUP_SECONDS = 0.5
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Command:
    """One process to keep. Higher ranks are stopped first; all of one rank together.

    `passing`: it ends by itself, with which nothing else ends, and speaks to whoever started all of it.
    """

    name: str
    argv: Sequence[str | Path]
    env: dict[str, str]
    rank: int = 2
    account: Account | None = None
    cwd: Path = Path("/")
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: float = 3.0
    passing: bool = False


class ChildFailed(Exception):
    """A process ended, or was not ready in time. The text names it and quotes the end of its log."""


@dataclass
class Child:
    command: Command
    process: subprocess.Popen[bytes]
    log: Path
    log_start: int

    def says(self, text: str) -> bool:
        """Whether the text is in what this run has logged so far."""
        return text.encode() in self._output()

    def failure(self, what: str) -> ChildFailed:
        lines = self._output().decode(errors="replace").splitlines()[-LOG_LINES:]
        return ChildFailed("\n".join([f"{self.command.name} {what}; the end of {self.log}:", *lines]))

    def _output(self) -> bytes:
        with self.log.open("rb") as file:
            file.seek(self.log_start)
            return file.read()


class Children:
    """Must be used from the main thread: the parent-death signal follows the thread that forked.

    The inherited files, such as a lock, stay open until the last child of all is gone.
    """

    def __init__(self, logs: Path, *, inherited: Sequence[IO[str]] = ()) -> None:
        self._logs = logs
        self._held = inherited
        self._running: list[Child] = []
        self._reaper = _start_reaper(inherited)

    def start(self, command: Command) -> Child:
        log = self._logs / f"{command.name}.log"
        with log.open("ab") as file, _signals_held():
            # Before it runs: what it says at once counts.
            begun_at = file.seek(0, os.SEEK_END)
            child = Child(command, _spawn(command, file), log, begun_at)
            self._running.append(child)
            self._tell_reaper(str(child.process.pid))
        return child

    def run(self, command: Command) -> None:
        """Run to the end; ChildFailed unless it exits with 0."""
        child = self.start(command)
        code = child.process.wait()
        self._forget(child)
        if code:
            raise child.failure(_describe_exit(code))

    def wait_until(self, child: Child, ready: Callable[[], bool], *, seconds: float = 60) -> None:
        """Wait for the child's readiness; any child's end, or the limit, is a ChildFailed."""
        deadline = time.monotonic() + seconds
        while not ready():
            self.check()
            if time.monotonic() > deadline:
                raise child.failure(f"was not ready within {seconds:g} s")
            time.sleep(POLL_SECONDS)

    def check(self) -> None:
        """ChildFailed when one has ended that should not have; a passing one that failed is only told of."""
        for child in list(self._running):
            with _signals_held():
                code = child.process.poll()
            if code is None:
                continue
            if not child.command.passing:
                raise child.failure(_describe_exit(code))
            self._forget(child)
            if code:
                print(child.failure(_describe_exit(code)), file=sys.stderr, flush=True)

    def kill(self, child: Child, with_signal: signal.Signals = signal.SIGKILL) -> None:
        """End one child on purpose, with its whole group."""
        _signal_group(child, with_signal)
        child.process.wait()
        self._forget(child)

    def stop(self) -> None:
        """Stop all, rank by rank, and leave nothing of their groups."""
        for rank in sorted({child.command.rank for child in self._running}, reverse=True):
            _stop_together([child for child in self._running if child.command.rank == rank])
        self._running.clear()
        self._tell_reaper("done")
        self._reaper.wait()

    def _forget(self, child: Child) -> None:
        _end_group(child)
        self._running.remove(child)
        self._tell_reaper(f"-{child.process.pid}")

    def _tell_reaper(self, line: str) -> None:
        assert self._reaper.stdin is not None
        self._reaper.stdin.write(f"{line}\n".encode())
        self._reaper.stdin.flush()


@contextmanager
def _signals_held() -> Iterator[None]:
    """A signal's handler may raise; held until the end, or a child could be started that nobody knows of, or one left
    in the middle of a poll, for which every later wait would wait for ever."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_reaper(inherited: Sequence[IO[str]]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-S", Path(__file__).with_name("reaper.py")],
        stdin=subprocess.PIPE,
        pass_fds=[file.fileno() for file in inherited],
        start_new_session=True,
    )


def _spawn(command: Command, log: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command.argv,
        env=command.env,
        cwd=command.cwd,
        stdin=subprocess.DEVNULL,
        stdout=None if command.passing else log,
        stderr=log,
        preexec_fn=_preparation(command),
    )


def _preparation(command: Command) -> Callable[[], None]:
    """What the child does between fork and exec: own group, lesser rights, and to die with its parent."""
    parent = os.getpid()

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.setsid()
        if command.account:
            os.setgroups([])
            os.setgid(command.account.gid)
            os.setuid(command.account.uid)
        # Changing the uid clears this signal, so it comes last.
        die_with(parent, command.stop_signal)

    return prepare


def die_with(parent: int, number: signal.Signals) -> None:
    """Have the kernel send the signal to this process when its parent ends; without it, end at once."""
    if sys.platform == "linux":
        _libc.prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(1)


def _stop_together(children: Sequence[Child]) -> None:
    for child in children:
        if child.process.poll() is None:
            child.process.send_signal(child.command.stop_signal)
    begun = time.monotonic()
    for child in children:
        left = begun + child.command.stop_seconds - time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            child.process.wait(max(left, 0))
        _end_group(child)


def _end_group(child: Child) -> None:
    """Kill what is left of the group, and wait until the kernel has ended it."""
    limit = time.monotonic() + GROUP_SECONDS
    while _signal_group(child, signal.SIGKILL) and time.monotonic() < limit:
        child.process.poll()
        time.sleep(POLL_SECONDS)
    child.process.wait()


def _signal_group(child: Child, with_signal: signal.Signals) -> bool:
    """Whether there was anybody to hear it."""
    try:
        os.killpg(child.process.pid, with_signal)
    except ProcessLookupError:
        return False
    return True


def _describe_exit(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
