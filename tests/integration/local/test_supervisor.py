"""The supervisor keeps its promise: all of it runs, or none of it."""

import os
import pwd
import signal
import subprocess
import sys

import psycopg
import pytest
import redis

from tests.integration.local.supervised import IMPORTS, wait_for


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_signal_ends_all_processes_in_about_three_seconds(supervise, number):
    supervised = supervise().wait_up()
    assert len(supervised.family()) > 6
    supervised.process.send_signal(number)
    code, complaint, seconds = supervised.end()
    assert (code, complaint) == (0, "")
    assert seconds < 4.5
    assert supervised.family() == []


def test_a_stop_signal_during_the_start_ends_what_there_is(supervise):
    supervised = supervise()
    assert wait_for(lambda: (supervised.home / "postgres").exists(), 10)
    supervised.process.send_signal(signal.SIGINT)
    code, complaint, _ = supervised.end()
    assert (code, complaint) == (0, "")
    assert supervised.family() == []


def test_the_end_of_one_process_ends_all_and_is_explained(supervise):
    supervised = supervise().wait_up()
    (supervised.home / "die").touch()
    code, complaint, _ = supervised.end()
    assert code == 1
    assert "mortal ended with exit code 3" in complaint
    assert "the last words" in complaint
    assert supervised.family() == []


def test_a_killed_server_ends_all_and_is_named(supervise):
    supervised = supervise().wait_up()
    next(process for process in supervised.family() if "valkey" in process.name()).kill()
    code, complaint, _ = supervised.end()
    assert code == 1
    assert "valkey was ended by SIGKILL" in complaint
    assert supervised.family() == []


def test_nothing_outlives_a_killed_supervisor(supervise):
    supervised = supervise().wait_up()
    supervised.process.kill()
    supervised.end()
    assert wait_for(lambda: supervised.family() == [], 8), supervised.family()


def test_a_killed_supervisor_leaves_its_home_usable(supervise, home):
    first = supervise().wait_up()
    with psycopg.connect(first.urls()[0]) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS one")
    first.process.kill()
    assert wait_for(lambda: first.family() == [], 8)
    second = supervise().wait_up()
    with psycopg.connect(second.urls()[0]) as connection:
        assert connection.execute("SELECT one FROM kept").fetchone() == (1,)


def test_a_second_start_on_one_home_is_refused(supervise):
    first = supervise().wait_up()
    code, complaint, _ = supervise().end()
    assert code == 1
    assert "is in use" in complaint
    assert first.process.poll() is None


def test_two_homes_run_side_by_side(supervise, home):
    first = supervise(home).wait_up()
    second = supervise(home.with_name("another")).wait_up()
    for database_url, redis_url in (first.urls(), second.urls()):
        with psycopg.connect(database_url) as connection:
            connection.execute("CREATE TABLE mine (id int)")
        with redis.Redis.from_url(redis_url) as client:
            assert client.set("mine", 1, nx=True)


def test_durability_is_on(supervise):
    supervised = supervise().wait_up()
    with psycopg.connect(supervised.urls()[0]) as connection:
        settings = [connection.execute(f"SHOW {name}").fetchone() for name in ("fsync", "synchronous_commit")]
    assert settings == [("on",), ("on",)]


def test_a_home_with_a_long_path_gets_its_socket_elsewhere(supervise, home):
    supervised = supervise(home.with_name("long" * 30)).wait_up()
    with psycopg.connect(supervised.urls()[0]) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def _can_run(python: str, user: str) -> bool:
    try:
        probe = subprocess.run([python, "-c", "import psycopg"], env=IMPORTS, user=user, extra_groups=[])
    except PermissionError:
        return False
    return probe.returncode == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can lend another account")
def test_an_ordinary_user_can_run_it(supervise, home):
    python = next((path for path in (sys.executable, "/usr/bin/python3") if _can_run(path, "nobody")), None)
    if not python:
        pytest.skip("no Python here that other accounts may run")
    home.mkdir()
    os.chown(home, pwd.getpwnam("nobody").pw_uid, -1)
    supervised = supervise(user="nobody", python=python).wait_up()
    assert {process.username() for process in supervised.family()} == {"nobody"}
    supervised.process.terminate()
    assert supervised.end()[:2] == (0, "")
    assert supervised.family() == []
