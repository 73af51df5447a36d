"""Amounts and times as the agent's language writes them. Agents sit anywhere, so times are UTC and say so."""

from datetime import UTC, datetime, timedelta, tzinfo

from babel.dates import format_timedelta
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from refunds.amounts import format_minor
from refunds.messages.language import LOCALES, language_for, written_moment, written_span


def language() -> str:
    return language_for(get_language() or "")


def locale() -> str:
    return LOCALES[language()]


def amount(minor: int, currency: str) -> str:
    return format_minor(minor, currency, locale())


def moment(at: datetime | None, zone: tzinfo = UTC) -> str:
    return written_moment(at, language(), zone) if at else ""


def span(starts_at: datetime, ends_at: datetime, zone: tzinfo) -> str:
    return written_span(starts_at, ends_at, language(), zone)


def duration(length: timedelta) -> str:
    """Rounded to its largest unit, a minute at least: 3 hours, 2 days."""
    at_least = max(abs(length), timedelta(minutes=1))
    return format_timedelta(at_least, granularity="minute", threshold=1.2, locale=locale())


def time_left(deadline: datetime | None, now: datetime) -> str:
    """Empty without a deadline."""
    if deadline is None:
        return ""
    text = _("%(time)s left") if deadline > now else _("%(time)s overdue")
    return text % {"time": duration(deadline - now)}


def ago(at: datetime, now: datetime) -> str:
    return _("for %(time)s") % {"time": duration(now - at)}


def has_left(name: str) -> str:
    """Of one who does not work here any more."""
    return _("%(name)s (has left)") % {"name": name}
