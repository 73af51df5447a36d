"""Secrets by reference, read when they are used: `env:NAME` or `file:/PATH`. Rows and manifests hold nothing else."""

import os

MOST_BYTES = 65_536


class SecretMissing(LookupError):
    """A reference leads to no secret here. It is told by its reference, which is none itself."""


def resolve(reference: str) -> str:
    """The secret, without the white space around it. Raises SecretMissing."""
    scheme, _, name = reference.partition(":")
    readers = {"env": _from_environment, "file": _from_file}
    if scheme not in readers:
        raise SecretMissing("a secret is referred to as env:NAME or file:/PATH")
    secret = readers[scheme](name).strip()
    if not secret:
        raise SecretMissing(f"{reference} is empty")
    return secret


def _from_environment(name: str) -> str:
    try:
        return os.environ[name]
    except KeyError:
        raise SecretMissing(f"env:{name} is not set in this process") from None


def _from_file(path: str) -> str:
    try:
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise SecretMissing(f"file:{path} cannot be read: {type(error).__name__}") from None
    if len(content) > MOST_BYTES:
        raise SecretMissing(f"file:{path} is too large to be a secret")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise SecretMissing(f"file:{path} is no text") from None
