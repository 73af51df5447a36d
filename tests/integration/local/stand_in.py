"""A supervisor over real servers and small stand-ins for the product: `python -m tests.integration.local.stand_in`.

`family` has a child of its own that ignores every polite signal, as a pool child stuck in a call would;
`mortal` ends with exit code 3 as soon as the file `die` is in the home.
"""

import os
import sys
from pathlib import Path

from workers.local.children import Children, Command
from workers.local.home import Home
from workers.local.postgres import ensure_database, start_postgres
from workers.local.product import CHECKOUT
from workers.local.supervisor import keep
from workers.local.valkey import start_valkey

FAMILY = """
import os, signal, time
if os.fork() == 0:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    print("deaf", flush=True)
while True:
    time.sleep(60)
"""
MORTAL = """
import os, pathlib, sys, time
while not pathlib.Path(os.environ["REFUNDRY_HOME"], "die").exists():
    time.sleep(0.02)
print("the last words", flush=True)
sys.exit(3)
"""


def start(home: Home, children: Children) -> None:
    url = ensure_database(start_postgres(home, children), "refundry")
    valkey = start_valkey(home, children)
    family, _ = (children.start(_command(home, *named)) for named in (("family", FAMILY), ("mortal", MORTAL)))
    children.wait_until(family, lambda: family.says("deaf"))
    (home.path / "urls").write_text(f"{url}\n{valkey.url()}\n")
    print("up", flush=True)


def _command(home: Home, name: str, script: str) -> Command:
    environment = {**os.environ, "REFUNDRY_HOME": str(home.path)}
    return Command(name, [sys.executable, "-c", script], environment, cwd=CHECKOUT)


if __name__ == "__main__":
    sys.exit(keep(Home(Path(os.environ["REFUNDRY_HOME"])), start))
