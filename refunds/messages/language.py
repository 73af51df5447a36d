"""Which language a customer is written to, and how that language writes dates and money."""

from datetime import UTC, datetime

from babel.dates import format_datetime

ENGLISH = "en"
CHINESE = "zh-hans"
_BY_PRIMARY_TAG = {"en": ENGLISH, "zh": CHINESE}
#: CLDR locales by language.
LOCALES = {ENGLISH: "en", CHINESE: "zh_Hans_CN"}
_MOMENTS = {ENGLISH: "d MMMM y, HH:mm 'UTC'", CHINESE: "y年M月d日 HH:mm 'UTC'"}


def language_for(*wishes: str) -> str:
    """The first wish we can write (`zh-CN`, `zh_Hans`, `en-GB`, ...), else English.

    Every kind of Chinese gets Simplified Chinese: nearer to its reader than English is.
    """
    tags = (wish.replace("_", "-").partition("-")[0].strip().lower() for wish in wishes)
    return next((_BY_PRIMARY_TAG[tag] for tag in tags if tag in _BY_PRIMARY_TAG), ENGLISH)


def written_moment(moment: datetime, language: str) -> str:
    """Date and time to the minute, in UTC and saying so."""
    return format_datetime(moment.astimezone(UTC), _MOMENTS[language], tzinfo=UTC, locale=LOCALES[language])
