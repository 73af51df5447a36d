"""On which ports an installation listens: those it had before, so that bookmarks and embedded links stay good."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path

from workers.local.home import Home, write_private
from workers.local.ports import any_port, claim
from workers.local.product import Addresses

#: Where a new home listens, unless somebody else does.
USUAL = {"web": 18080, "sandbox": 18081, "inbox": 18082, "smtp": 18083}


class PortUnusable(Exception):
    """The port that was asked for cannot be had."""


@contextmanager
def lasting_addresses(home: Home, port: str) -> Iterator[Addresses]:
    """The home's ports, the web's as asked for (empty: it is not), claimed while the block lasts: by its end somebody
    has to listen there. Raises PortUnusable."""
    file = home.path / "ports.json"
    with ExitStack() as claims:
        ports = {"web": _asked(port, claims)} if port else {}
        for name, usual in (USUAL | _kept(file)).items():
            if name not in ports:
                ports[name] = _first_free(usual, claims)
        write_private(file, json.dumps(ports))
        yield Addresses(**ports)


def _kept(file: Path) -> dict[str, int]:
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def _asked(port: str, claims: ExitStack) -> int:
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise PortUnusable(f"PORT={port} is no port: give a number from 1 to 65535, or none")
    try:
        claims.enter_context(claim(int(port)))
    except OSError as problem:
        raise PortUnusable(f"PORT={port} cannot be used: {problem.strerror}. Give another, or none") from None
    return int(port)


def _first_free(usual: int, claims: ExitStack) -> int:
    for port in chain([usual], iter(any_port, None)):
        try:
            claims.enter_context(claim(port))
        except OSError:
            continue
        return port
    raise AssertionError("unreachable")
