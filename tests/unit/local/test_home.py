"""The home of a local installation."""

import os
import stat
import tempfile

import pytest

from workers.local.home import Home, HomeInUse, write_private


def test_identity_is_drawn_once(tmp_path):
    assert Home(tmp_path).identity() == Home(tmp_path).identity()


def test_two_homes_have_different_number_prefixes(tmp_path):
    prefixes = {Home(tmp_path / name).identity().number_prefix for name in "ab"}
    assert len(prefixes) == 2
    assert all(prefix.startswith("RF") and prefix.isalnum() for prefix in prefixes)


def test_identity_is_readable_by_its_owner_only(tmp_path):
    Home(tmp_path).identity()
    assert stat.S_IMODE((tmp_path / "identity.json").stat().st_mode) == 0o600


def test_a_locked_home_is_refused_until_the_lock_is_closed(tmp_path):
    with Home(tmp_path).lock(), pytest.raises(HomeInUse, match=str(tmp_path)):
        Home(tmp_path).lock()
    Home(tmp_path).lock().close()


def test_a_private_file_is_replaced_whole(tmp_path):
    file = tmp_path / "demo.json"
    write_private(file, "old and longer")
    write_private(file, "new")
    assert file.read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["demo.json"]


def test_sockets_have_a_short_path_wherever_the_home_and_the_temporary_folder_are(tmp_path, monkeypatch):
    """A longer one than 107 bytes cannot be bound."""
    long = tmp_path / ("x" * 60) / ("y" * 60)
    long.mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    home = Home(long / "home")
    sockets = home.sockets()
    assert len(os.fsencode(sockets)) <= 80 and sockets.is_dir() and home.sockets() == sockets
    home.remove()
    assert not sockets.exists() and not home.path.exists()
