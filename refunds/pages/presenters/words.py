"""How one reader writes amounts and times."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo

from babel import Locale
from django.utils.translation import pgettext

from refunds.amounts import format_minor
from refunds.messages.facts import Visit
from refunds.messages.language import ENGLISH, written_moment, written_span
from refunds.messages.zones import zone_of


@dataclass(frozen=True, slots=True)
class Words:
    """`locale` is what `locale_for` says, `zone` the reader's clock."""

    locale: str = ENGLISH
    zone: tzinfo = UTC

    def at(self, country: str) -> "Words":
        """By the clock of the country, as the mails; by the same clock where it has none of its own."""
        return replace(self, zone=zone_of(country)) if country else self

    def amount(self, amount_minor: int, currency: str) -> str:
        return format_minor(amount_minor, currency, self.locale)

    def moment(self, moment: datetime) -> str:
        return written_moment(moment, self.locale, self.zone)

    def visit(self, visit: Visit) -> str:
        return written_span(visit.starts_at, visit.ends_at, self.locale, self.zone)

    def address(self, address: Mapping[str, str]) -> str:
        """On one line; empty where there is none."""
        code = address.get("country", "").upper()
        town = f"{address.get('postal_code', '')} {address.get('city', '')}".strip()
        country = Locale.parse(self.locale).territories.get(code, code)
        parts = (address.get("name"), address.get("street"), town, country)
        return pgettext("list", ", ").join(part for part in parts if part)
