"""`python -m workers.local.demo load` (what `make up` does) and `... stories` (what `make demo` does)."""

import argparse
import os
import sys
from pathlib import Path

from orders.management.demo import DEMO_SHOP, read_orders
from workers.local.demo.client import Installation, WentWrong
from workers.local.demo.loading import load
from workers.local.demo.stories import new_orders, tell_all
from workers.local.product import CHECKOUT


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m workers.local.demo", description=__doc__)
    parser.add_argument("command", choices=["load", "stories"])
    command = parser.parse_args().command
    at = _running()
    if at is None:
        print("Refundry is not up: start `make up` in another terminal, and wait until it says so.", file=sys.stderr)
        return 1
    return _load(at) if command == "load" else tell_all(at, new_orders(), _say)


def _running() -> Installation | None:
    home = Path(os.environ.get("REFUNDRY_HOME", CHECKOUT / ".refundry"))
    try:
        at = Installation.read(home / "demo.json")
    except FileNotFoundError:
        return None
    return at if at.answers() else None


def _load(at: Installation) -> int:
    try:
        failures = load(at, read_orders(DEMO_SHOP), _say)
    except WentWrong as problem:
        failures = [str(problem)]
    for failure in failures:
        print(f"the demo shop is not complete: {failure}", file=sys.stderr)
    return 1 if failures else 0


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
