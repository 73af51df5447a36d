"""A console whose passwords cost nothing to check, and whose counters of tries begin at zero."""

import pytest


@pytest.fixture(autouse=True)
def cheap_passwords(settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
