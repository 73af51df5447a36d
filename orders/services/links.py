"""Making links for customers."""

from dataclasses import dataclass
from datetime import timedelta

from orders import clock
from orders.links import GIFT, Link
from orders.roles import Actor, Role
from orders.services.facts import require_role
from orders.services.held import order_id_of

LINK_ROLES = (Role.SHOP, Role.SUPPORT, Role.SUPERVISOR, Role.SYSTEM)
PURPOSES = ("order", "refund", GIFT)


@dataclass(frozen=True, slots=True)
class LinkWish:
    order_number: str
    purpose: str
    lifetime: timedelta
    return_url: str = ""


def make_link(wish: LinkWish, *, channel_id: int, actor: Actor) -> Link:
    """A link to the order of this number. Raises Forbidden and NotFound."""
    require_role(actor, LINK_ROLES, "make links")
    order_id = order_id_of(channel_id=channel_id, number=wish.order_number)
    expires_at = (clock.now() + wish.lifetime).replace(microsecond=0)
    return Link(order_id, wish.purpose, expires_at, wish.return_url)
