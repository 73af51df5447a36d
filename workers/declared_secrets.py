"""Which secrets of this installation a manifest may refer to: whoever declares a channel must not be able to have the
installation's own sent to an address of his choice."""

import os.path
from fnmatch import fnmatchcase

from django.conf import settings

from workers.secrets import SecretMissing, resolve


def secret_of(reference: str) -> str:
    """The secret. Raises SecretMissing: there is none, or its reference fits no pattern of `DECLARED_SECRETS`."""
    scheme, _, name = reference.partition(":")
    is_plain = scheme != "file" or os.path.normpath(name) == name
    if not is_plain or not any(fnmatchcase(reference, pattern) for pattern in settings.DECLARED_SECRETS):
        known = ", ".join(settings.DECLARED_SECRETS) or "none"
        raise SecretMissing(f"{reference} is none that a manifest may refer to (DECLARED_SECRETS: {known})")
    return resolve(reference)
