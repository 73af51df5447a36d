"""Which language a customer is written to, and how that language writes dates and times."""

from datetime import datetime, tzinfo

from babel.dates import format_datetime

from refunds.messages.zones import written_offset

ENGLISH = "en"
CHINESE = "zh-hans"
_BY_PRIMARY_TAG = {"en": ENGLISH, "zh": CHINESE}
#: CLDR locales by language.
LOCALES = {ENGLISH: "en", CHINESE: "zh_Hans_CN"}
_MOMENTS = {ENGLISH: "d MMMM y, HH:mm", CHINESE: "y年M月d日 HH:mm"}
_SHORT_MOMENTS = {ENGLISH: "d MMM HH:mm", CHINESE: "M月d日HH:mm"}
_VISITS = {ENGLISH: "EEEE, d MMMM y, HH:mm", CHINESE: "y年M月d日EEEE HH:mm"}
#: With no-break spaces: both times stay on one line, which a dash would not see to.
_TO = {ENGLISH: "\u00a0to\u00a0", CHINESE: "\u00a0至\u00a0"}
_SHORT_VISITS = {ENGLISH: "EEE d MMM HH:mm", CHINESE: "M月d日HH:mm"}


def language_for(*wishes: str) -> str:
    """The first wish we can write (`zh-CN`, `zh_Hans`, `en-GB`, ...), else English.

    Every kind of Chinese gets Simplified Chinese: nearer to its reader than English is.
    """
    tags = (wish.replace("_", "-").partition("-")[0].strip().lower() for wish in wishes)
    return next((_BY_PRIMARY_TAG[tag] for tag in tags if tag in _BY_PRIMARY_TAG), ENGLISH)


def written_moment(moment: datetime, language: str, zone: tzinfo, *, short: bool = False) -> str:
    """Date and time to the minute in the zone, with its offset; `short` for an SMS."""
    local = moment.astimezone(zone)
    return f"{_text(local, (_SHORT_MOMENTS if short else _MOMENTS)[language], language)} {written_offset(local)}"


def written_span(starts_at: datetime, ends_at: datetime, language: str, zone: tzinfo, *, short: bool = False) -> str:
    """From when to when, in the zone, with its offset; the date once where it is the same."""
    begin, end = starts_at.astimezone(zone), ends_at.astimezone(zone)
    pattern = (_SHORT_VISITS if short else _VISITS)[language]
    until = "HH:mm" if begin.date() == end.date() else pattern
    joint = "–" if short else _TO[language]
    return f"{_text(begin, pattern, language)}{joint}{_text(end, until, language)} {written_offset(end)}"


def _text(local: datetime, pattern: str, language: str) -> str:
    return format_datetime(local, pattern, tzinfo=local.tzinfo, locale=LOCALES[language])
