"""Whose rights a server gets: PostgreSQL refuses to run as root, so root lends it an existing account."""

import os
import pwd
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

UNPRIVILEGED = "nobody"


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int

    def own(self, folder: Path) -> None:
        shutil.chown(folder, self.uid, self.gid)


def server_account(data: Path) -> Account | None:
    """None: run as ourselves. Existing data decides, so that a server keeps the account it was made with."""
    if os.geteuid() != 0:
        return None
    if data.exists() and data.stat().st_uid != 0:
        return Account(data.stat().st_uid, data.stat().st_gid)
    entry = pwd.getpwnam(UNPRIVILEGED)
    return Account(entry.pw_uid, entry.pw_gid)


def let_through(*folders: Path) -> list[Path]:
    """Let other accounts walk through the folders and their parents, not list them. Returns those changed."""
    steps = {step for folder in folders for step in (folder, *folder.parents)}
    closed = sorted(step for step in steps if not step.stat().st_mode & stat.S_IXOTH)
    for step in closed:
        step.chmod(stat.S_IMODE(step.stat().st_mode) | stat.S_IXOTH)
    return closed
