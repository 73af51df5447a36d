import pytest

from refunds.messages.clean import is_mail_address, is_phone_number
from refunds.messages.language import language_for


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
        ("李@例子.cn", True),
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
