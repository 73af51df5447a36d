"""What a web process knows of the channels."""

import pytest

from orders.registry import Registry, Served

FASHION = Served(1, "fashion", ("fashion.example", "shop.fashion.example"), ("https://fashion.example",), generation=3)
BOOKS = Served(2, "books", ("books.example",))


def test_before_its_first_load_it_knows_nothing_and_says_so() -> None:
    """Check 63. TestRouting"""
    registry = Registry()
    assert not registry.is_loaded
    assert (registry.named("books"), registry.at("books.example"), registry.with_id(2)) == (None, None, None)
    assert (list(registry.hostnames()), registry.all()) == ([], ())
    registry.load([])
    assert registry.is_loaded
    registry.forget()
    assert not registry.is_loaded


@pytest.mark.parametrize(
    ("host", "slug"),
    [
        ("fashion.example", "fashion"),
        ("shop.fashion.example", "fashion"),
        ("SHOP.Fashion.Example.:8443", "fashion"),
        ("books.example:80", "books"),
        ("other.example", None),
        ("", None),
        ("[::1]:8000", None),
    ],
)
def test_a_host_s_name_is_one_channel_s(host: str, slug: str | None) -> None:
    registry = Registry()
    registry.load([FASHION, BOOKS])
    found = registry.at(host)
    assert (found.slug if found else None) == slug


def test_each_load_is_the_whole_sorted_and_the_last_one_alone_counts() -> None:
    """Check 65: what is added appears, what is gone is gone with all its names, and what stays is not touched.
    TestResourceManagerExistingCRD, TestMultipleCRDSameVersion, TestDiscoveryControllerResourceManagerRemovedCRD"""
    registry = Registry()
    registry.load([FASHION])
    registry.load([FASHION, BOOKS])
    assert registry.all() == (BOOKS, FASHION)
    assert list(registry.hostnames()) == ["books.example", "fashion.example", "shop.fashion.example"]
    registry.load([BOOKS])
    assert (registry.named("fashion"), registry.at("fashion.example"), registry.with_id(1)) == (None, None, None)
    assert (registry.named("books"), registry.at("books.example"), registry.with_id(2)) == (BOOKS, BOOKS, BOOKS)
    registry.load([])
    assert registry.all() == ()
