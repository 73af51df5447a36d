"""Where mail goes, read from a URL."""

import pytest

from workers.adapters.email import SmtpServer


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://127.0.0.1:2525", SmtpServer("127.0.0.1", 2525)),
        ("smtp://mail.example", SmtpServer("mail.example", 25)),
        ("smtp+tls://u%40x:p%2Fw@mail.example", SmtpServer("mail.example", 587, "u@x", "p/w", use_tls=True)),
        ("smtps://mail.example", SmtpServer("mail.example", 465, use_ssl=True)),
        ("smtp+ssl://mail.example:1", SmtpServer("mail.example", 1, use_ssl=True)),
    ],
)
def test_url_names_the_server(url: str, server: SmtpServer) -> None:
    assert SmtpServer.from_url(url) == server


@pytest.mark.parametrize("url", ["", "http://mail.example", "smtp://", "mail.example:25"])
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="SMTP"):
        SmtpServer.from_url(url)
