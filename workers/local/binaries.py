"""Where the servers' programs are: in a wheel's folder, or on PATH where no wheel fits."""

import shutil
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path


class ServerMissing(Exception):
    """Neither a wheel nor PATH has the server."""


def find_program(names: Sequence[str], *, wheel: str, folder: str) -> Path:
    """The first program there is: in `folder` of the installed wheel, else on PATH by one of these names."""
    spec = find_spec(wheel)
    if spec and spec.origin:
        for name in names:
            program = Path(spec.origin).parent / folder / name
            if program.exists():
                return program
    for name in names:
        found = shutil.which(name)
        if found:
            return Path(found).resolve()
    raise ServerMissing(f"no {names[0]}: the wheel {wheel} does not fit here and PATH has none of {list(names)}")
