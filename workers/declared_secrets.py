"""Which secrets of this installation a manifest may refer to: whoever declares a channel must not be able to have the
installation's own, or those of another shop, sent to an address of his choice.

A pattern of `DECLARED_SECRETS` may name the channel: `{channel}` as it is, `{CHANNEL}` in capitals with underscores.
With two underscores, or a slash, behind it no name is the beginning of another.
"""

import os.path
from collections.abc import Iterator
from fnmatch import fnmatchcase

from django.conf import settings

from workers.secrets import SecretMissing, resolve


def secret_of(reference: str, channel: str) -> str:
    """The secret, for the channel of this name. SecretMissing: there is none, or its reference fits no pattern."""
    scheme, _, name = reference.partition(":")
    is_plain = scheme != "file" or os.path.normpath(name) == name
    patterns = list(_patterns(channel))
    if not is_plain or not any(fnmatchcase(reference, pattern) for pattern in patterns):
        known = ", ".join(patterns) or "none"
        raise SecretMissing(f"{reference} is none that this channel may refer to (DECLARED_SECRETS: {known})")
    return resolve(reference)


def _patterns(channel: str) -> Iterator[str]:
    for pattern in settings.DECLARED_SECRETS:
        yield pattern.replace("{channel}", channel).replace("{CHANNEL}", channel.upper().replace("-", "_"))
