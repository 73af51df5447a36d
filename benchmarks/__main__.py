"""`python -m benchmarks --only drain --quick --json FILE`: run rows of the benchmark and print their tables."""

import argparse
import json
import os
import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from benchmarks.budgets import EXTRA as WITH_EXTRAS
from benchmarks.budgets import budget
from benchmarks.environment import leave_behind
from benchmarks.extras import KINDS as EXTRAS
from benchmarks.figures import Figures
from benchmarks.goals import Goal, Goals
from benchmarks.ground import Ground, prepared_ground
from benchmarks.history import last_history
from benchmarks.machine import machine
from benchmarks.stages import ROWS, STAGES
from benchmarks.stopping import stoppable
from workers.local.stopping import StopAsked

_HELP = f"contenders of drain and end_to_end besides, of: {', '.join(EXTRAS)}"


@dataclass
class Run:
    """What has been told so far, and how long each part of it took."""

    quick: bool
    extras: int = 0
    told: list[Any] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    cut: list[str] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)
    #: What is being done, and what has failed, if anything.
    at: str = ""
    failure: str = ""

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        self.at, begun = name, time.monotonic()
        yield
        self.seconds[name] = round(time.monotonic() - begun, 1)

    def row(self, name: str, stage: Any) -> None:
        limit = budget(name, quick=self.quick, extras=self.extras)
        print(name, flush=True)
        with self.timed(name):
            self.told += import_module(f"benchmarks.{name}").run(stage, limit, quick=self.quick)
        self.cut += [f"{name} was cut short: {what}" for what in limit.cut]
        cut = "".join(f", cut short: {what}" for what in limit.cut)
        print(f"  {name} took {self.seconds[name]:.0f} s{cut}", flush=True)

    def tables(self) -> list[Any]:
        tables = [one for one in self.told if not isinstance(one, Goal)]
        all_of_it = {"all": round(time.monotonic() - self.begun, 1)}
        tables.append(Figures("time", {name: {"seconds": taken} for name, taken in (self.seconds | all_of_it).items()}))
        if goals := [one for one in self.told if isinstance(one, Goal)]:
            tables.append(Goals(goals, notes=self.cut))
        return tables


def main() -> int:
    arguments = _arguments(sys.argv[1:])
    if arguments.check:
        return 0
    if ignored := leave_behind(os.environ):
        print(f"measured as shipped, on servers of its own; ignored: {', '.join(ignored)}", flush=True)
    try:
        with stoppable():
            return _measure(arguments)
    except StopAsked as asked:
        print(f"stopped by {asked.number.name}", file=sys.stderr, flush=True)
        return 128 + asked.number


def _measure(arguments: argparse.Namespace) -> int:
    """What has been measured is told, whatever fails later."""
    run, about = Run(arguments.quick, len(arguments.extras)), ""
    try:
        with ExitStack() as stack:
            with run.timed("servers"):
                ground = stack.enter_context(prepared_ground(arguments.extras))
            about = machine(arguments.extras)
            print(about, flush=True)
            _run_rows(ground, arguments.only, run)
    except Exception as problem:  # noqa: BLE001 - whatever it is, it is told of, and the run fails
        traceback.print_exc()
        run.failure = f"{run.at} failed: {type(problem).__name__}: {problem}"
    tables = run.tables()
    for table in tables:
        print(f"\n{table.text()}")
    if arguments.json:
        arguments.json.write_text(json.dumps(_values(about, run, tables), indent=1) + "\n")
    if run.failure:
        print(f"\n{run.failure}", file=sys.stderr, flush=True)
    return 1 if run.failure else 0


def _values(about: str, run: Run, tables: Sequence[Any]) -> dict[str, Any]:
    failed = {"failed": run.failure} if run.failure else {}
    rows = {table.name: table.values() for table in tables}
    return {"machine": about, "quick": run.quick, **failed, "rows": rows}


def _run_rows(ground: Ground, wanted: Sequence[str], run: Run) -> None:
    for stage in STAGES:
        if not (rows := [row for row in stage.rows if row in wanted]):
            continue
        with ExitStack() as stack:
            with run.timed(f"contenders of {rows[0]}"):
                opened = stack.enter_context(stage.opened(ground, rows))
            for row in rows:
                run.row(row, opened)


class _Parser(argparse.ArgumentParser):
    """Refuses in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}\n")


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", type=_row_names, default=ROWS, metavar="ROW,...", help=f"of: {', '.join(ROWS)}")
    parser.add_argument("--with", type=_extras, default=[], dest="extras", metavar="EXTRA,...", help=_HELP)
    parser.add_argument("--quick", action="store_true", help="smaller and shorter, for a first look")
    parser.add_argument("--json", type=_new_file, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--check", action="store_true", help="only say whether this can be asked for")
    arguments = parser.parse_args(given)
    try:
        _check(arguments)
    except argparse.ArgumentTypeError as problem:
        parser.error(str(problem))
    return arguments


def _check(arguments: argparse.Namespace) -> None:
    """What is wrong with several of them together, or with this machine."""
    extras, rows = arguments.extras, arguments.only
    if extras and not set(rows) & set(WITH_EXTRAS):
        raise argparse.ArgumentTypeError(
            f"{', '.join(extras)} would take part in nothing: only {', '.join(WITH_EXTRAS)} have extras"
        )
    if "growth" in rows:
        last_history(quick=arguments.quick)
    if missing := [name for name in extras if not arguments.check and not find_spec(name)]:
        raise argparse.ArgumentTypeError(
            f"not installed: {', '.join(missing)}; `make bench EXTRAS={','.join(extras)}` installs what is needed"
        )


def _new_file(text: str) -> Path:
    """Somewhere to write to when the run is over."""
    file = Path(text)
    if file.is_dir():
        raise argparse.ArgumentTypeError(f"{file} is a folder")
    if not file.parent.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {file.parent}")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{file} cannot be written")
    return file


def _row_names(text: str) -> list[str]:
    return _names(text, "rows", ROWS)


def _extras(text: str) -> list[str]:
    return _names(text, "extras", EXTRAS)


def _names(text: str, what: str, known: Iterable[str]) -> list[str]:
    names = list(dict.fromkeys(text.replace(",", " ").split()))
    if unknown := [name for name in names if name not in known]:
        raise argparse.ArgumentTypeError(f"no such {what}: {', '.join(unknown)}; there are {', '.join(known)}")
    if not names:
        raise argparse.ArgumentTypeError(f"no {what} are named; there are {', '.join(known)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
