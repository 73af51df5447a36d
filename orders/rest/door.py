"""The base of every API view: one caller, one body, one channel, and problems for everything that goes wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.http import HttpResponse
from drf_spectacular.openapi import AutoSchema
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from orders.errors import Invalid, NotFound
from orders.rest import bodies, idempotency, parameters
from orders.rest.arrival import no_channel
from orders.rest.authentication import BearerKey
from orders.rest.fields import Body
from orders.selectors.access import Caller


@dataclass(frozen=True, slots=True)
class ChannelRef:
    id: int
    slug: str


class Door(APIView):
    """A view lives for one request, so what was read of it is kept on the instance."""

    authentication_classes = (BearerKey,)
    permission_classes = ()
    throttle_classes = ()
    parser_classes = (JSONParser,)  # for the served schema: `bodies` reads
    renderer_classes = (JSONRenderer,)
    metadata_class = None
    schema = AutoSchema()
    limit_bytes = bodies.LIMIT_BYTES
    parsed: dict[str, Any] | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        parameters.refuse_odd_path(request.path)
        super().initial(request, *args, **kwargs)
        known = getattr(getattr(self, (request.method or "").lower(), None), "query", None)
        if known is not None:
            parameters.refuse_unknown(request._request, known)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Looked into only where something else than JSON may be wanted: it means to read all headers."""
        if request.META.get("HTTP_ACCEPT", "*/*") == "*/*":
            return JSONRenderer(), JSONRenderer.media_type
        return super().perform_content_negotiation(request, force)

    @property
    def caller(self) -> Caller:
        return self.request.user  # type: ignore[return-value]

    def read(self, body: Body, *, optional: bool = False) -> dict[str, Any]:
        """The checked body; `optional`: an empty one counts as {}."""
        self.parsed = bodies.parse_object(self.request._request, optional=optional, limit=self.limit_bytes)
        return body.run_validation(self.parsed)

    def channel(self) -> ChannelRef:
        """The channel of `?channel=`; it may be left out when the key has exactly one. A key whose channel is gone
        finds nothing."""
        slug = parameters.query_text(self.request._request, "channel")
        channels = self.caller.channels
        if slug is None and not channels:
            raise NotFound("not_found", "This key has no channel.")
        if slug is None and len(channels) > 1:
            raise Invalid.of("channel", "channel_required", "This key has several channels: name one, ?channel=SLUG.")
        slug = slug or next(iter(channels))
        if slug not in channels:
            raise no_channel(self.request._request)
        return ChannelRef(channels[slug], slug)

    def once(self, work: Callable[[], HttpResponse]) -> HttpResponse:
        """The work of a POST in one transaction; done once per Idempotency-Key, where one is given."""
        request = self.request._request
        key = parameters.idempotency_key(request)
        if key is None:
            with transaction.atomic():
                return work()
        digest = idempotency.digest_of(request.GET.urlencode(), self.parsed)
        who = self.caller.principal_id
        return idempotency.once(idempotency.Repeatable(who, request.method or "", request.path, key, digest), work)
