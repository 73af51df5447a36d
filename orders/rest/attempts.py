"""Counting the attempts of people who have no key yet: by their address, and by what they name (django-ratelimit)."""

from collections.abc import Callable, Mapping
from ipaddress import ip_address, ip_network
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django_ratelimit.core import get_usage
from redis.exceptions import RedisError

from orders.errors import Unavailable

IPV6_HOME = 64  # so many bits belong to one household

Who = str | Callable[[str, HttpRequest], str]


def usages(request: HttpRequest, *, group: str, limits: Mapping[Who, str], increment: bool) -> list[dict[str, Any]]:
    """How each limit (by whom, and how often: "30/10m") is used up. Unavailable while nobody can count: guessing must
    not become free."""
    try:
        return [
            get_usage(request, group=group, key=who, rate=rate, increment=increment) for who, rate in limits.items()
        ]
    except RedisError:
        raise Unavailable("unavailable", "Attempts cannot be counted right now.") from None


def address_of(group: str, request: HttpRequest) -> str:
    """Whose attempt it is: behind a proxy, as its header says."""
    named = request.headers.get(settings.CLIENT_ADDRESS_HEADER, "").rpartition(",")[2].strip()
    try:
        address = ip_address(named or request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return "unknown"
    return str(ip_network((address, IPV6_HOME if address.version == 6 else 32), strict=False))
