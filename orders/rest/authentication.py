"""Who calls: `Authorization: Bearer KEY` becomes a caller with a role and channels, in one query."""

import hmac
import re

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from orders.rest.problems import Unauthenticated
from orders.selectors.access import Caller, key_with_prefix
from orders.services.keys import digest_of

KEY = re.compile(r"(?P<prefix>[A-Za-z0-9_-]{1,16})\.[A-Za-z0-9_-]{20,200}", re.ASCII)


class BearerKey(BaseAuthentication):
    """Unknown, wrong, revoked and malformed keys are answered alike."""

    def authenticate(self, request: Request) -> tuple[Caller, None]:
        header = request.META.get("HTTP_AUTHORIZATION", "")
        if not header:
            raise Unauthenticated("missing_key", "Send your key: Authorization: Bearer KEY.")
        scheme, _, key = header.partition(" ")
        shape = KEY.fullmatch(key.strip())
        stored = key_with_prefix(shape["prefix"]) if shape and scheme.lower() == "bearer" else None
        digest = stored.digest if stored else ""
        if not hmac.compare_digest(digest, digest_of(key.strip()) if shape else "-") or stored is None:
            raise Unauthenticated("invalid_key", "This key is not known, or no longer.")
        return stored.caller, None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="refundry"'


class BearerKeyScheme(OpenApiAuthenticationExtension):
    """How the served schema names the key."""

    target_class = "orders.rest.authentication.BearerKey"
    name = "key"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}
