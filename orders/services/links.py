"""Signed links for customers: bound to one order and one purpose, and good for a while."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.core import signing

from orders import clock
from orders.errors import NotFound
from orders.roles import Actor, Role
from orders.services.facts import require_role
from orders.services.held import order_id_of

LINK_ROLES = (Role.SHOP, Role.SUPPORT, Role.SUPERVISOR, Role.SYSTEM)
PURPOSES = ("order", "refund")
SALT = "orders.links"


@dataclass(frozen=True, slots=True)
class Link:
    """What a link allows: `purpose` on one order, until `expires_at`; afterwards back to `return_url`."""

    order_id: int
    purpose: str
    expires_at: datetime
    return_url: str = ""


@dataclass(frozen=True, slots=True)
class LinkWish:
    order_number: str
    purpose: str
    lifetime: timedelta
    return_url: str = ""


def make_link(wish: LinkWish, *, channel_id: int, actor: Actor) -> tuple[str, Link]:
    """The signed token and what it stands for; nothing is stored."""
    require_role(actor, LINK_ROLES, "make links")
    order_id = order_id_of(channel_id=channel_id, number=wish.order_number)
    expires_at = (clock.now() + wish.lifetime).replace(microsecond=0)
    link = Link(order_id, wish.purpose, expires_at, wish.return_url)
    value = {"order": order_id, "purpose": wish.purpose, "until": int(expires_at.timestamp()), "back": wish.return_url}
    return signing.dumps(value, salt=SALT, compress=True), link


def read_link(token: str, *, purpose: str | None = None) -> Link:
    """What a token allows (`purpose` None: whatever that is); forged, of another purpose, or run out: 404, told apart
    by nobody."""
    try:
        value = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        value = {}
    given = value.get("purpose")
    if given is None or purpose not in (None, given) or value["until"] < clock.now().timestamp():
        raise NotFound("not_found", "This link is not valid, or no longer.")
    until = datetime.fromtimestamp(value["until"], tz=UTC)
    return Link(value["order"], given, until, value["back"])
