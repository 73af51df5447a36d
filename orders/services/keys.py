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
    prefix = secrets.token_hex(6)
    key = f"{prefix}.{secrets.token_urlsafe(32)}"
    ApiKey.objects.create(principal=principal, prefix=prefix, digest=digest_of(key), created_at=clock.now())
    return key
