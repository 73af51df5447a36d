"""`python -m tests.chaos --refunds 10000 --seed 7`: a whole installation in chaos, and whether all promises are kept.

Four workers with their pools are killed at random every second, Valkey is emptied three times and PostgreSQL is killed
and started once, while refunds of unshipped goods and of goods that a courier fetches go on. Exit code 1: some promise
is broken, or the limit was reached.
"""

import argparse
import os
import random
import signal
import sys
from functools import partial
from importlib import import_module

import django

from tests.chaos.plan import Plan
from tests.processes import Stack
from tests.stories.shop import Shop

WORKERS = 4
ENVIRONMENT = {"DJANGO_SETTINGS_MODULE": "config.settings", "SECRET_KEY": "only-for-tests", "NUMBER_PREFIX": "RF"}


def main() -> int:
    arguments = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    django.setup()
    # The judge knows Django's models, which are there only now.
    run = import_module("tests.chaos.run").Run
    plan = Plan(arguments.refunds, arguments.seed, limit_seconds=arguments.limit_seconds)
    print(f"chaos: {plan.refunds} refunds, seed {plan.seed}, load {os.getloadavg()[0]:.1f} before", flush=True)
    with Stack(own_postgres=True, workers=WORKERS, PUMPS=str(WORKERS)).running() as stack:
        verdict = run(Shop(stack), plan, partial(print, flush=True))()
    return 1 if verdict.broken else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--refunds", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="repeats the choices of a run")
    parser.add_argument("--limit-seconds", type=float, default=2400.0)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
