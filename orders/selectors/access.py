"""Reading keys and users: whose they are, and what he may see."""

from dataclasses import dataclass

from orders.models import Principal
from orders.roles import KEY_ROLES, Actor, Role
from refunds.records import execute

CHANNELS = """coalesce((SELECT json_object_agg(c.slug, c.id) FROM orders_principal_channels pc
    JOIN orders_channel c ON c.id = pc.channel_id
    WHERE pc.principal_id = p.id AND c.retired_at IS NULL), '{}')"""
KEY_QUERY = f"""
SELECT k.digest, p.id, p.role, {CHANNELS}
FROM orders_apikey k JOIN orders_principal p ON p.id = k.principal_id
WHERE k.prefix = %s AND k.revoked_at IS NULL AND p.left_at IS NULL
"""

USER_QUERY = f"""
SELECT p.id, p.role, p.name, {CHANNELS}
FROM orders_principal p WHERE p.user_id = %s AND p.role = ANY(%b::text[]) AND p.left_at IS NULL
"""


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal behind a request, with the channels (slug -> id) he is bound to."""

    principal_id: int
    role: Role
    channels: dict[str, int]
    is_authenticated: bool = True

    @property
    def actor(self) -> Actor:
        return Actor(f"principal:{self.principal_id}", self.role)

    @property
    def channel_ids(self) -> tuple[int, ...]:
        return tuple(self.channels.values())


@dataclass(frozen=True, slots=True)
class StoredKey:
    digest: str
    caller: Caller


def key_with_prefix(prefix: str) -> StoredKey | None:
    """The key that begins so, unless it was revoked."""
    row = execute(KEY_QUERY, [prefix]).fetchone()
    if row is None:
        return None
    digest, principal_id, role, channels = row
    return StoredKey(digest, Caller(principal_id, Role(role), channels))


def customers_id() -> int:
    """The principal in whose name the answers to customers are kept (`orders.rest.idempotency`)."""
    return Principal.objects.only("id").get(role=Role.CUSTOMER).pk


@dataclass(frozen=True, slots=True)
class Colleague:
    """A principal who logs in: the caller he is, and what his colleagues call him."""

    caller: Caller
    name: str


def person_behind(user_id: int) -> Colleague | None:
    """The principal of a user; None for one who has none, and for what no person can be (customer, system)."""
    row = execute(USER_QUERY, [user_id, [role.value for role in KEY_ROLES]]).fetchone()
    if row is None:
        return None
    principal_id, role, name, channels = row
    return Colleague(Caller(principal_id, Role(role), channels), name)
