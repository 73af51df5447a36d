"""The photos of refunds: what there is of them, and one of them."""

from collections.abc import Collection

from orders.errors import NotFound
from refunds.models import EvidencePhoto
from refunds.selectors.refunds import order_and_refund


def photos_of(refund_id: int) -> list[EvidencePhoto]:
    """As they came; without their bytes."""
    return list(EvidencePhoto.objects.filter(refund=refund_id).defer("data").order_by("position"))


def photos_at(order_id: int, numbers: Collection[str]) -> list[EvidencePhoto]:
    """Of the order's refunds with these numbers, with their refunds; without their bytes."""
    found = EvidencePhoto.objects.filter(refund__order=order_id, refund__number__in=numbers).select_related("refund")
    return list(found.only("position", "width", "height", "refund__number").order_by("refund", "position"))


def photo_bytes(number: str, position: int, *, channels: Collection[int], order_id: int | None = None) -> bytes:
    """Of one photo; `order_id`: only of this order. NotFound for unknown and foreign alike."""
    of_order, refund_id = order_and_refund(number, channels=channels)
    if order_id not in (None, of_order):
        raise NotFound("refund_not_found", f"There is no refund {number}.")
    found = EvidencePhoto.objects.filter(refund=refund_id, position=position).values_list("data", flat=True).first()
    if found is None:
        raise NotFound("photo_not_found", f"Refund {number} has no photo {position}.")
    return bytes(found)
