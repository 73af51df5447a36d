"""Photos that show what is wrong with the goods. Personal, so apart from the events, which only number them."""

from django.db import models

from refunds.evidence import MOST_PHOTOS
from refunds.models.refund import Refund


class EvidencePhoto(models.Model):
    """`position` counts a refund's photos from 1, as they came. `sha256` (hex) is of `data`, a JPEG without metadata,
    whose sides are in pixels. `author` is an actor's reference and `role` his; written once, never changed."""

    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, related_name="evidence", db_index=False)
    position = models.SmallIntegerField()
    sha256 = models.CharField(max_length=64)
    width = models.IntegerField()
    height = models.IntegerField()
    data = models.BinaryField()
    author = models.CharField(max_length=60)
    role = models.CharField(max_length=16)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["refund", "position"], name="evidence_photo_position_once"),
            models.UniqueConstraint(fields=["refund", "sha256"], name="evidence_photo_once"),
            models.CheckConstraint(
                condition=models.Q(position__gte=1, position__lte=MOST_PHOTOS), name="evidence_photo_few"
            ),
        ]

    def __str__(self) -> str:
        return f"photo {self.position} of {self.refund_id}"
