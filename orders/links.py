"""Links for customers: signed, bound to one order and one purpose, and good for a while. Nothing of one is stored."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings
from django.core import signing

from orders import clock
from orders.errors import NotFound

SALT = "orders.link"
#: The purpose of a link for whoever was given the goods: it shows them, and none of the money.
GIFT = "gift"


@dataclass(frozen=True, slots=True)
class Link:
    """What a link allows: `purpose` on one order, until `expires_at` to the second; afterwards back to `return_url`."""

    order_id: int
    purpose: str
    expires_at: datetime
    return_url: str = ""

    @property
    def token(self) -> str:
        """The same link has the same token, whenever it is signed."""
        value = {
            "order": self.order_id,
            "purpose": self.purpose,
            "until": int(self.expires_at.timestamp()),
            "back": self.return_url,
        }
        return signing.Signer(salt=SALT).sign_object(value, compress=True)

    @property
    def url(self) -> str:
        return f"{settings.BASE_URL}/r/{self.token}"


def read_link(token: str, *, purpose: str | None = None) -> Link:
    """What a token allows (`purpose` None: whatever that is); forged, of another purpose, or run out: 404, told apart
    by nobody."""
    link = signed_link(token)
    if link is None or purpose not in (None, link.purpose) or link.expires_at < clock.now():
        raise NotFound("not_found", "This link is not valid, or no longer.")
    return link


def signed_link(token: str) -> Link | None:
    """What a token once allowed, even if it has run out; None for one that is not ours."""
    try:
        value = signing.Signer(salt=SALT).unsign_object(token)
    except signing.BadSignature:
        return None
    until = datetime.fromtimestamp(value["until"], tz=UTC)
    return Link(value["order"], value["purpose"], until, value["back"])
