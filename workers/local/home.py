"""The folder that holds everything a local installation keeps: data, logs, secrets, and its own lock."""

import base64
import fcntl
import json
import os
import secrets
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

PREFIX_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
# sockaddr_un holds 107 bytes; PostgreSQL adds "/.s.PGSQL.5432" and a lock file beside it.
LONGEST_SOCKET_FOLDER = 80
#: Where TMPDIR is too long as well.
SHORT_PLACE = "/tmp"


class HomeInUse(Exception):
    """Another supervisor runs on this home."""


@dataclass(frozen=True)
class Identity:
    """What an installation keeps for life: its secrets, and the prefix of its refund numbers."""

    secret_key: str
    gateway_secret: str
    sms_secret: str
    number_prefix: str


class Home:
    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.logs = self.path / "logs"
        self.demo = self.path / "demo.json"
        self.logs.mkdir(parents=True, exist_ok=True)

    def lock(self) -> IO[str]:
        """Hold the home until the returned file is closed, here and in children that inherited it.

        The kernel releases the lock, so it is never stale.
        """
        file = (self.path / "lock").open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise HomeInUse(f"{self.path} is in use: another `make up` runs there, or is just ending") from None
        return file

    def sockets(self) -> Path:
        """A folder for unix sockets: in the home, or in a temporary folder when that path is too long."""
        folder = self._socket_folder()
        folder.mkdir(exist_ok=True)
        return folder

    def _socket_folder(self) -> Path:
        elsewhere = f"refundry-{self.path.stat().st_ino:x}"
        folders = [self.path / "sockets", *(Path(place) / elsewhere for place in (tempfile.gettempdir(), SHORT_PLACE))]
        return next(one for one in folders if len(os.fsencode(one)) <= LONGEST_SOCKET_FOLDER)

    def remove(self) -> None:
        """All of it, and its sockets elsewhere."""
        with suppress(OSError):
            shutil.rmtree(self._socket_folder())
        shutil.rmtree(self.path, ignore_errors=True)

    def server_environment(self) -> dict[str, str]:
        """All a server is told: nothing of the caller's, but which home it belongs to."""
        return {"PATH": os.defpath, "LANG": "C.UTF-8", "REFUNDRY_HOME": str(self.path)}

    def identity(self) -> Identity:
        """The installation's identity, drawn once."""
        file = self.path / "identity.json"
        if not file.exists():
            write_private(file, json.dumps(_draw_identity().__dict__, indent=1))
        return Identity(**json.loads(file.read_text()))


def write_private(file: Path, text: str) -> None:
    """Replace the file in one step, readable by its owner only."""
    draft = file.with_name(f"{file.name}.new")
    draft.touch(mode=0o600)
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)


def _draw_identity() -> Identity:
    return Identity(
        secret_key=secrets.token_urlsafe(48),
        gateway_secret=_webhook_secret(),
        sms_secret=_webhook_secret(),
        number_prefix="RF" + "".join(secrets.choice(PREFIX_LETTERS) for _ in range(4)),
    )


def _webhook_secret() -> str:
    """A secret in the form of the Standard Webhooks scheme."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(24)).decode()
