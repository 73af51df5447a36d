"""Which language a customer is written to, and how that language writes dates and times."""

from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import lru_cache

from babel.core import Locale, UnknownLocaleError
from babel.dates import format_datetime

from refunds.messages.zones import written_offset

ENGLISH = "en"
CHINESE = "zh-hans"
_BY_PRIMARY_TAG = {"en": ENGLISH, "zh": CHINESE}
#: CLDR locales by language.
LOCALES = {ENGLISH: "en", CHINESE: "zh_Hans_CN"}
#: With no-break spaces: both times stay on one line, which a dash would not see to.
_TO = {ENGLISH: "\u00a0to\u00a0", CHINESE: "\u00a0至\u00a0"}


@dataclass(frozen=True, slots=True)
class _Patterns:
    """CLDR's, by what is written with them."""

    language: str
    time: str
    moment: str
    short_moment: str
    visit: str
    short_visit: str


_CHINESE = _Patterns(CHINESE, "HH:mm", "y年M月d日 HH:mm", "M月d日HH:mm", "y年M月d日EEEE HH:mm", "M月d日HH:mm")


def language_for(*wishes: str) -> str:
    """The first wish we can write (`zh-CN`, `zh_Hans`, `en-GB`, ...), else English.

    Every kind of Chinese gets Simplified Chinese: nearer to its reader than English is.
    """
    tags = (wish.replace("_", "-").partition("-")[0].strip().lower() for wish in wishes)
    return next((_BY_PRIMARY_TAG[tag] for tag in tags if tag in _BY_PRIMARY_TAG), ENGLISH)


def locale_for(language: str, *wishes: str) -> str:
    """How dates and amounts are written in this language: with the region of the first wish that states one."""
    tags = [wish.strip().replace("-", "_") for wish in wishes]
    regional = (_regional(tag) for tag in tags if language == ENGLISH and tag.lower().startswith("en_"))
    return next(filter(None, regional), LOCALES[language])


def written_moment(moment: datetime, locale: str, zone: tzinfo, *, short: bool = False) -> str:
    """Date and time to the minute in the zone, with its offset; `short` for an SMS. `locale`: a language, or what
    `locale_for` says."""
    return _written_minute(moment.replace(second=0, microsecond=0), locale, zone, short)


@lru_cache(maxsize=1024)
def _written_minute(moment: datetime, locale: str, zone: tzinfo, short: bool) -> str:
    local, patterns = moment.astimezone(zone), _patterns(locale)
    return f"{_text(local, patterns.short_moment if short else patterns.moment, locale)} {written_offset(local)}"


@lru_cache(maxsize=1024)
def written_span(starts_at: datetime, ends_at: datetime, locale: str, zone: tzinfo, *, short: bool = False) -> str:
    """From when to when, in the zone, with its offset; the date once where it is the same."""
    begin, end, patterns = starts_at.astimezone(zone), ends_at.astimezone(zone), _patterns(locale)
    pattern = patterns.short_visit if short else patterns.visit
    until = patterns.time if begin.date() == end.date() else pattern
    joint = "–" if short else _TO[patterns.language]
    return f"{_text(begin, pattern, locale)}{joint}{_text(end, until, locale)} {written_offset(end)}"


def _text(local: datetime, pattern: str, locale: str) -> str:
    return format_datetime(local, pattern, tzinfo=local.tzinfo, locale=LOCALES.get(locale, locale))


@lru_cache(maxsize=256)
def _regional(tag: str) -> str:
    try:
        return str(Locale.parse(tag))
    except (UnknownLocaleError, ValueError):
        return ""


@lru_cache(maxsize=256)
def _patterns(locale: str) -> _Patterns:
    """English without a region writes as most of the world does; with one, as people there do."""
    if language_for(locale) == CHINESE:
        return _CHINESE
    here = Locale.parse(locale)
    has_region = here.territory is not None
    month_first = has_region and here.date_formats["long"].pattern.startswith("M")
    twelve_hours = has_region and "a" in here.time_formats["short"].pattern
    date, short_date = ("MMMM d, y", "MMM d") if month_first else ("d MMMM y", "d MMM")
    time = "h:mm a" if twelve_hours else "HH:mm"
    return _Patterns(
        ENGLISH,
        time,
        moment=f"{date}, {time}",
        short_moment=f"{short_date} {time}",
        visit=f"EEEE, {date}, {time}",
        short_visit=f"EEE {short_date} {time}",
    )
