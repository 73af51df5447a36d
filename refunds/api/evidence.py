"""A refund's photos: POST and GET /refunds/{number}/evidence, GET /refunds/{number}/evidence/{id}."""

from hashlib import sha256

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request

from orders.rest import bodies, parameters
from orders.rest.answers import answer, picture, rfc3339
from orders.rest.problems import UnsupportedMedia
from orders.rest.schema import operation
from orders.snapshot import snapshot
from refunds.actions import Action, permit
from refunds.api import schema
from refunds.api.cases import CaseDoor
from refunds.evidence import MOST_BYTES, STORED_TYPE, TYPES
from refunds.models import EvidencePhoto
from refunds.photos import photo_of
from refunds.selectors.evidence import photo_bytes, photos_of
from refunds.selectors.refunds import order_and_refund
from refunds.services import acts
from refunds.services.acts import Target


class PhotoShape(serializers.Serializer):
    """`id` counts a refund's photos from 1. `sha256` (hex) is of the picture as it is served; sides in pixels."""

    id = serializers.IntegerField()
    sha256 = serializers.CharField()
    width = serializers.IntegerField()
    height = serializers.IntegerField()
    given_by = serializers.CharField()
    role = serializers.CharField()
    created_at = serializers.DateTimeField()


class PhotosShape(serializers.Serializer):
    """As they came."""

    photos = PhotoShape(many=True)


class Evidence(CaseDoor):
    """The photos of one refund."""

    @operation(
        operation_id="evidence_refund",
        request={kind: OpenApiTypes.BINARY for kind in TYPES},
        parameters=[schema.IF_MATCH, schema.IDEMPOTENCY_KEY],
        responses={200: PhotosShape} | schema.problems(403, 404, 409, 412),
    )
    def post(self, request: Request, number: str) -> HttpResponse:
        """One photo, as the body; what it is is told by its content. It is stored as a JPEG without metadata; one that
        the refund has already changes nothing. Answered with all photos of the refund."""
        permit(Action.EVIDENCE, self.caller.actor)
        order_and_refund(number, channels=self.caller.channel_ids)
        if request.content_type.partition(";")[0].strip().lower() not in TYPES:
            raise UnsupportedMedia("unsupported_media_type", f"Send a photo: {', '.join(TYPES)}.")
        sent = bodies.read_bytes(request._request, limit=MOST_BYTES)
        self.parsed = {"sha256": sha256(sent).hexdigest()}
        photo = photo_of(sent, path="photo")
        on = Target(number, self.caller.channel_ids, parameters.if_match(request._request))
        return self.once(lambda: self._shown(acts.give_evidence(on, [photo], actor=self.caller.actor).pk))

    @operation(operation_id="list_evidence", responses={200: PhotosShape} | schema.problems(404))
    def get(self, request: Request, number: str) -> HttpResponse:
        """All photos of the refund, as they came."""
        permit(Action.READ, self.caller.actor)
        with snapshot():
            return self._shown(order_and_refund(number, channels=self.caller.channel_ids)[1])

    def _shown(self, refund_id: int) -> HttpResponse:
        return answer({"photos": [_shape(photo) for photo in photos_of(refund_id)]})


class EvidenceFile(CaseDoor):
    """One photo."""

    @operation(
        operation_id="get_evidence",
        responses={(200, STORED_TYPE): OpenApiTypes.BINARY} | schema.problems(404),
    )
    def get(self, request: Request, number: str, position: int) -> HttpResponse:
        """The picture itself."""
        permit(Action.READ, self.caller.actor)
        return picture(photo_bytes(number, position, channels=self.caller.channel_ids), STORED_TYPE)


def _shape(photo: EvidencePhoto) -> dict[str, object]:
    return {
        "id": photo.position,
        "sha256": photo.sha256,
        "width": photo.width,
        "height": photo.height,
        "given_by": photo.author,
        "role": photo.role,
        "created_at": rfc3339(photo.created_at),
    }
