"""Which addresses a shop may have us call."""

import pytest

from workers.adapters.public_addresses import NotPublic, is_public, require_public

PRIVATE = """
127.0.0.1 127.1.2.3 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 192.0.0.8
192.0.2.1 198.18.0.1 198.51.100.7 203.0.113.9 192.88.99.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
:: ::1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe fe80::1 fe80::1%eth0 fec0::1 fc00::1
fd00:ec2::254 ff02::1 ff0e::1 2001:db8::1 2001::1 2002:7f00:1::1 2002:808:808::1 3fff::1 64:ff9b::127.0.0.1
64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1 4000::1 localhost 127.1 2130706433
"""
PUBLIC = """
8.8.8.8 1.1.1.1 100.128.0.1 172.32.0.1 2606:4700::1111 2a00:1450:4001::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8
"""


@pytest.mark.parametrize("address", PRIVATE.split())
def test_what_is_not_of_the_public_internet_is_refused(address: str) -> None:
    assert not is_public(address)
    with pytest.raises(NotPublic):
        require_public(["8.8.8.8", address])


@pytest.mark.parametrize("address", PUBLIC.split())
def test_what_is_of_the_public_internet_may_be_called(address: str) -> None:
    require_public([address, "1.1.1.1"])


def test_a_name_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(NotPublic):
        require_public([])
