"""The door of gateways and couriers: check the signature, store the facts, wake their refunds, answer. Acting on them
is the engine's; with Redis down the sweep finds what is stored."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from orders.errors import Invalid, NotFound
from orders.rest.bodies import read_bytes
from orders.rest.door import Door
from orders.rest.problems import Unauthenticated
from refunds.api import schema
from refunds.services.inbox import store_events
from refunds.services.parcel_inbox import store_parcel_events
from workers.bootstrap import accounts, courier, courier_accounts, gateway
from workers.ports import BadPayload, BadSignature

Events = TypeVar("Events")


class Webhooks(Door):
    """POST /webhooks/{account}: the signature is the key."""

    authentication_classes = ()  # type: ignore[assignment]

    @extend_schema(
        operation_id="receive_webhook",
        request=OpenApiTypes.OBJECT,
        responses={204: None} | schema.problems(404),
    )
    def post(self, request: Request, account: str) -> HttpResponse:
        """Take the word of a gateway or a courier. A copy changes nothing."""
        if account in courier_accounts():
            store_parcel_events(account, self._verified(courier(account).parse_webhook))
        elif account in accounts():
            store_events(account, self._verified(gateway(account).parse_webhook))
        else:
            raise NotFound("account_not_found", "There is no such account.")
        return HttpResponse(status=204)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Whatever a sender says it accepts, there is nothing in the answer: its word is not lost for that."""
        return super().perform_content_negotiation(request, force=True)

    def _verified(self, read: Callable[[Mapping[str, str], bytes], Events]) -> Events:
        request = self.request._request
        body = read_bytes(request)
        try:
            return read(request.headers, body)
        except BadSignature:
            raise Unauthenticated("bad_signature", "The signature does not hold.") from None
        except BadPayload as error:
            raise Invalid.of("", "bad_payload", f"The event is signed, but not understood: {error}") from None
