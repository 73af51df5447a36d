"""Letting an unprivileged server pass through closed folders."""

import stat

from workers.local.accounts import let_through


def test_closed_folders_are_opened_for_walking_only_and_named(tmp_path):
    closed = tmp_path / "closed"
    inner = closed / "inner"
    inner.mkdir(parents=True)
    closed.chmod(0o700)
    assert closed in let_through(inner)
    assert stat.S_IMODE(closed.stat().st_mode) == 0o701
    assert let_through(inner) == []
