"""What an installation must say before it starts."""

import os
import subprocess
import sys

import pytest


def start(**environment: str) -> subprocess.CompletedProcess[str]:
    said = {"PATH": os.environ["PATH"], "SECRET_KEY": "only-for-tests"} | environment
    code = "from config import settings; print(settings.NUMBER_PREFIX)"
    return subprocess.run([sys.executable, "-c", code], env=said, capture_output=True, text=True, timeout=60)


def test_an_installation_without_a_prefix_for_its_numbers_does_not_start() -> None:
    started = start()
    assert started.returncode != 0 and "NUMBER_PREFIX" in started.stderr


@pytest.mark.parametrize("prefix", ["RF-EU", "", "R F", "ABCDEFGHIJKLM", "Ü"])
def test_a_prefix_that_could_be_taken_for_another_s_or_is_too_long_is_refused(prefix: str) -> None:
    started = start(NUMBER_PREFIX=prefix)
    assert started.returncode != 0 and "NUMBER_PREFIX: " in started.stderr


@pytest.mark.parametrize(("environment", "prefix"), [({"NUMBER_PREFIX": "RF7K2Q"}, "RF7K2Q"), ({"DEBUG": "1"}, "RF")])
def test_the_prefix_is_the_one_stated_and_development_needs_none(environment: dict[str, str], prefix: str) -> None:
    assert start(**environment).stdout.strip() == prefix
