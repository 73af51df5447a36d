"""Making keys for principals. A key is shown once, when it is made; only its digest is stored."""

import hashlib
import secrets

from orders import clock
from orders.models import ApiKey, Principal


def digest_of(key: str) -> str:
    """Keys are long and random, so one round of SHA-512 is all that is needed."""
    return hashlib.sha512(key.encode()).hexdigest()


def make_key(principal: Principal) -> str:
    """A new key of the principal, `prefix.secret`."""
    key = f"{secrets.token_hex(6)}.{secrets.token_urlsafe(32)}"
    store_key(principal, key)
    return key


def store_key(principal: Principal, key: str) -> None:
    """Let this key in; nothing when it is let in already."""
    prefix = key.partition(".")[0]
    values = {"principal": principal, "digest": digest_of(key), "created_at": clock.now()}
    ApiKey.objects.get_or_create(prefix=prefix, defaults=values)
