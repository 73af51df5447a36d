from datetime import UTC, datetime, timedelta

import pytest

from orders.typed import is_mail_address, is_phone_number
from refunds.messages.language import language_for, locale_for, written_moment, written_span
from refunds.messages.zones import zone_of

NOON = datetime(2026, 6, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "wishes, language",
    [
        (("zh",), "zh-hans"),
        (("zh-CN",), "zh-hans"),
        (("zh_Hans",), "zh-hans"),
        (("ZH-hans-cn",), "zh-hans"),
        (("en-GB",), "en"),
        (("en_US", "zh"), "en"),
        (("fr", "zh-CN"), "zh-hans"),
        (("", "zh"), "zh-hans"),
        (("fr", "de"), "en"),
        (("",), "en"),
    ],
)
def test_customer_is_written_to_in_the_first_language_we_have(wishes: tuple[str, ...], language: str) -> None:
    assert language_for(*wishes) == language


@pytest.mark.parametrize(
    "address, good",
    [
        ("ada@customer.example", True),
        ("li@例子.cn", True),
        ("李@例子.cn", False),
        ("", False),
        ("ada", False),
        ("ada@customer.example\r\nBcc: all@shop.example", False),
        ("ada@customer.example, eve@customer.example", False),
        ("Ada <ada@customer.example>", False),
    ],
)
def test_only_one_plain_address_is_a_recipient(address: str, good: bool) -> None:
    assert is_mail_address(address) is good


@pytest.mark.parametrize(
    "number, good",
    [
        ("+8613800138000", True),
        ("020 7946-0000", True),
        ("", False),
        ("+86\n138", False),
        ("call me", False),
    ],
)
def test_only_a_number_is_called(number: str, good: bool) -> None:
    assert is_phone_number(number) is good


@pytest.mark.parametrize(
    "country, clock",
    [
        ("CN", "20:00 UTC+8"),
        ("cn", "20:00 UTC+8"),
        ("DE", "14:00 UTC+2"),
        ("IN", "17:30 UTC+5:30"),
        ("IS", "12:00 UTC"),
        ("VE", "08:00 UTC-4"),
        ("US", "12:00 UTC"),
        ("", "12:00 UTC"),
        ("Germany", "12:00 UTC"),
    ],
)
def test_times_are_the_countrys_where_it_has_one_clock_and_name_their_offset(country: str, clock: str) -> None:
    assert written_moment(NOON, "en", zone_of(country)) == f"30 June 2026, {clock}"


@pytest.mark.parametrize(
    "language, short, hours, text",
    [
        ("en", False, 4, "Tuesday, 30 June 2026, 14:00\u00a0to\u00a018:00 UTC+2"),
        ("en", True, 4, "Tue 30 Jun 14:00–18:00 UTC+2"),
        ("zh-hans", False, 4, "2026年6月30日星期二 14:00\u00a0至\u00a018:00 UTC+2"),
        ("zh-hans", True, 4, "6月30日14:00–18:00 UTC+2"),
        ("en", True, 24, "Tue 30 Jun 14:00–Wed 1 Jul 14:00 UTC+2"),
    ],
)
def test_visit_is_written_from_when_to_when(language: str, short: bool, hours: int, text: str) -> None:
    assert written_span(NOON, NOON + timedelta(hours=hours), language, zone_of("DE"), short=short) == text


@pytest.mark.parametrize(
    ("stated", "moment", "visit"),
    [
        ("en", "30 June 2026, 12:00 UTC", "Tuesday, 30 June 2026, 12:00\u00a0to\u00a015:00 UTC"),
        ("en-GB", "30 June 2026, 12:00 UTC", "Tuesday, 30 June 2026, 12:00\u00a0to\u00a015:00 UTC"),
        ("en_US", "June 30, 2026, 12:00 PM UTC", "Tuesday, June 30, 2026, 12:00 PM\u00a0to\u00a03:00 PM UTC"),
        ("en-Nowhere", "30 June 2026, 12:00 UTC", "Tuesday, 30 June 2026, 12:00\u00a0to\u00a015:00 UTC"),
        ("zh-TW", "30 June 2026, 12:00 UTC", "Tuesday, 30 June 2026, 12:00\u00a0to\u00a015:00 UTC"),
    ],
)
def test_english_is_written_as_in_the_region_that_is_stated(stated: str, moment: str, visit: str) -> None:
    locale = locale_for("en", stated)
    assert written_moment(NOON, locale, UTC) == moment
    assert written_span(NOON, NOON + timedelta(hours=3), locale, UTC) == visit


def test_the_region_is_the_first_stated_in_the_language() -> None:
    assert locale_for("en", "fr-FR", "en-US", "en-GB") == "en_US"
    assert locale_for("zh-hans", "zh-TW", "en-US") == "zh_Hans_CN"
    assert written_moment(NOON, "en_US", UTC, short=True) == "Jun 30 12:00 PM UTC"
