"""Secrets by reference: read where they are, and never told when they are missing."""

from pathlib import Path

import pytest

from workers.secrets import MOST_BYTES, SecretMissing, resolve


def test_a_secret_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_SECRET", " whsec_a \n")
    assert resolve("env:HOOK_SECRET") == "whsec_a"


def test_a_secret_is_read_from_its_file_each_time(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    for content in ("whsec_a\n", "whsec_b\nwhsec_a\n"):
        path.write_text(content)
        assert resolve(f"file:{path}") == content.strip()


@pytest.mark.parametrize("content", [b"", b" \n", b"\xff\xfe", b"x" * (MOST_BYTES + 1)])
def test_a_file_without_a_secret_is_told_by_its_name(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(content)
    with pytest.raises(SecretMissing, match="secret"):
        resolve(f"file:{path}")


@pytest.mark.parametrize(
    "reference", ["env:NOT_SET_HERE", "file:/no/such/file", "file:/", "file:/a\0b", "whsec_plain", ""]
)
def test_what_leads_to_no_secret_is_refused(reference: str) -> None:
    with pytest.raises(SecretMissing) as told:
        resolve(reference)
    assert "whsec_plain" not in str(told.value)
