"""The photos of a request: those on its page, and each by itself. Only for who has the link to the order."""

from collections.abc import Collection
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse

from orders.rest.answers import picture
from refunds.evidence import STORED_TYPE
from refunds.models import EvidencePhoto
from refunds.pages.visits import Visit, visited
from refunds.selectors.evidence import photo_bytes, photos_at


@dataclass(frozen=True, slots=True)
class PhotoShown:
    address: str
    width: int
    height: int


def photos_shown(visit: Visit, numbers: Collection[str]) -> list[PhotoShown]:
    """Of the refunds with these numbers, each as they came."""
    return [_shown(visit, photo) for photo in photos_at(visit.order.pk, numbers)]


def _shown(visit: Visit, photo: EvidencePhoto) -> PhotoShown:
    address = visit.address("refunds", photo.refund.number, "evidence", str(photo.position))
    return PhotoShown(address, photo.width, photo.height)


@visited
def photo(request: HttpRequest, visit: Visit, number: str, position: int) -> HttpResponse:
    channels = [visit.order.channel_id]
    return picture(photo_bytes(number, position, channels=channels, order_id=visit.order.pk), STORED_TYPE)
