"""The clock on a customer's wall, as far as his country tells."""

from collections import defaultdict
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel.core import get_global

#: The zones that CLDR calls primary: of countries with several, by whose clock nearly everybody lives.
_PRIMARY = {
    "CL": "America/Santiago",
    "CN": "Asia/Shanghai",
    "DE": "Europe/Berlin",
    "EC": "America/Guayaquil",
    "ES": "Europe/Madrid",
    "MH": "Pacific/Majuro",
    "MY": "Asia/Kuala_Lumpur",
    "NZ": "Pacific/Auckland",
    "PT": "Europe/Lisbon",
    "UA": "Europe/Kiev",
    "UZ": "Asia/Tashkent",
}


@lru_cache(maxsize=512)
def zone_of(country: str) -> tzinfo:
    """The zone of a country (ISO 3166, two letters) that has one; else UTC. Whoever shows it names the offset too."""
    code = country.strip().upper()
    zones = [_PRIMARY[code]] if code in _PRIMARY else _zones_by_country().get(code, [])
    try:
        return ZoneInfo(zones[0]) if len(zones) == 1 else UTC
    except ZoneInfoNotFoundError:
        return UTC


def written_offset(moment: datetime) -> str:
    """`UTC`, `UTC+8`, `UTC-3:30`."""
    minutes = int((moment.utcoffset() or timedelta(0)).total_seconds()) // 60
    hours, rest = divmod(abs(minutes), 60)
    if not minutes:
        return "UTC"
    return f"UTC{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "")


@lru_cache(maxsize=1)
def _zones_by_country() -> dict[str, list[str]]:
    zones: defaultdict[str, list[str]] = defaultdict(list)
    for zone, country in get_global("zone_territories").items():
        zones[country].append(zone)
    return zones
