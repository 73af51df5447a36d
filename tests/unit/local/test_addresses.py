"""The ports of an installation: its own for good, and nobody else's."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.local.addresses import PortUnusable, lasting_addresses
from workers.local.home import Home
from workers.local.ports import LOOPBACK, free_port


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def busy() -> Iterator[int]:
    with socket.create_server((LOOPBACK, 0)) as server:
        yield server.getsockname()[1]


def test_a_home_keeps_its_ports(home: Home) -> None:
    with lasting_addresses(home, "") as first:
        pass
    with lasting_addresses(home, "") as again:
        assert again == first


def test_the_port_asked_for_is_kept_too(home: Home) -> None:
    port = free_port()
    with lasting_addresses(home, str(port)) as asked:
        assert asked.web == port
    with lasting_addresses(home, "") as again:
        assert again == asked


def test_homes_that_start_in_the_same_moment_share_no_port(home: Home, tmp_path: Path) -> None:
    with lasting_addresses(home, "") as ours, lasting_addresses(Home(tmp_path / "another"), "") as theirs:
        ports = [ours.web, ours.sandbox, ours.inbox, ours.smtp, theirs.web, theirs.sandbox, theirs.inbox, theirs.smtp]
        assert len(set(ports)) == 8


def test_a_port_that_was_taken_meanwhile_is_replaced(home: Home) -> None:
    with lasting_addresses(home, "") as before:
        pass
    with socket.create_server((LOOPBACK, before.sandbox)), lasting_addresses(home, "") as now:
        assert now.sandbox != before.sandbox
        assert (now.web, now.inbox) == (before.web, before.inbox)


@pytest.mark.parametrize("port", ["abc", "0", "70000", "-1", "80 80", "８０８０"])
def test_what_is_no_port_is_refused_in_words(home: Home, port: str) -> None:
    with pytest.raises(PortUnusable, match="is no port"), lasting_addresses(home, port):
        pass


def test_a_port_that_somebody_else_has_is_refused_at_once(home: Home, busy: int) -> None:
    with pytest.raises(PortUnusable, match=f"PORT={busy} cannot be used"), lasting_addresses(home, str(busy)):
        pass
