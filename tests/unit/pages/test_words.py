"""Addresses are written as the reader's language has them."""

import pytest
from django.utils import translation

from refunds.pages.presenters.words import Words

HOME = {"name": "Ada", "street": "Hauptstr. 1", "postal_code": "10115", "city": "Berlin", "country": "de"}


@pytest.mark.parametrize(
    ("language", "locale", "address", "line"),
    [
        ("en", "en_GB", HOME, "Ada, Hauptstr. 1, 10115 Berlin, Germany"),
        ("zh-hans", "zh_Hans", HOME, "Ada，Hauptstr. 1，10115 Berlin，德国"),
        ("en", "en_GB", {"city": "Berlin", "country": "XQ"}, "Berlin, XQ"),
        ("en", "en_GB", {}, ""),
    ],
)
def test_an_address_is_one_line_and_names_its_country(
    language: str, locale: str, address: dict[str, str], line: str
) -> None:
    with translation.override(language):
        assert Words(locale).address(address) == line
