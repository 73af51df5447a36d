"""`python -m benchmarks --only drain --quick --json FILE`: run rows of the benchmark and print their tables."""

import argparse
import json
import signal
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.goals import Goal, Goals
from benchmarks.ground import prepared_ground
from benchmarks.machine import machine

ROWS = (
    "drain",
    "calls",
    "intake",
    "end_to_end",
    "clicks",
    "gateway",
    "mail",
    "wake",
    "idle",
    "valkey_down",
    "growth",
)


def main() -> int:
    arguments = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with prepared_ground() as ground:
        about = machine()
        print(about, flush=True)
        # They speak with Django's models, which are there only now.
        import_module("benchmarks.seeds").seeds()
        rows = [import_module(f"benchmarks.{name}").run(ground, quick=arguments.quick) for name in arguments.only]
    told = [one for row in rows for one in row]
    tables = [one for one in told if not isinstance(one, Goal)]
    if goals := [one for one in told if isinstance(one, Goal)]:
        tables.append(Goals(goals))
    for table in tables:
        print(f"\n{table.text()}")
    if arguments.json:
        result = {"machine": about, "quick": arguments.quick, "rows": {table.name: table.values() for table in tables}}
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", type=_row_names, default=ROWS, metavar="ROW,...", help=f"of: {', '.join(ROWS)}")
    parser.add_argument("--quick", action="store_true", help="smaller and shorter, for a first look")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    return parser.parse_args()


def _row_names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := set(names) - set(ROWS):
        raise argparse.ArgumentTypeError(f"no such rows: {sorted(unknown)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
