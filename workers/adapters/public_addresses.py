"""Which addresses strangers may have us call: those of the public internet, and no others.

A name is looked up once, all it leads to is judged, and the connection goes to what was judged: a name that leads
elsewhere a moment later gains nothing.
"""

import ipaddress
from collections.abc import Collection

# The well-known prefix of NAT64 (RFC 6052).
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# What the registries of IANA call not global, or is given up (6to4), and not every Python knows of.
_ALSO_PRIVATE = tuple(
    ipaddress.ip_network(block)
    for block in (
        "192.0.0.0/24",
        "192.88.99.0/24",
        "64:ff9b:1::/48",
        "2002::/16",
        "3fff::/20",
        "5f00::/16",
        "fec0::/10",
    )
)


class NotPublic(OSError):
    """A name leads to an address that is not of the public internet."""


def require_public(addresses: Collection[str]) -> None:
    """Raise NotPublic unless each of the addresses, and at least one, is of the public internet."""
    if not addresses or not all(is_public(address) for address in addresses):
        raise NotPublic("the name leads to an address that is not public")


def is_public(text: str) -> bool:
    """Neither this machine, its network, a link, a group, nor any of these behind an address that embeds another."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        return _is_global(address.ipv4_mapped or _behind_nat64(address) or address)
    return _is_global(address)


def _behind_nat64(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF) if address in _NAT64 else None


def _is_global(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if address.is_multicast or address.is_reserved or any(address in block for block in _ALSO_PRIVATE):
        return False
    return address.is_global
