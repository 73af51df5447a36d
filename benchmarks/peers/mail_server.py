"""A mail server that takes everything and keeps nothing: `python -m benchmarks.peers.mail_server --port 2525`.

Lean, since a real one is another machine: enough of SMTP for a client that waits for each answer.
"""

import asyncio

from benchmarks.peers.serving import main

#: Of the customers whose mails are for it.
DOMAIN = "@mailed.example"
ANSWERS = {
    b"EHLO": b"250-mail.localhost\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n",
    b"DATA": b"354 go on\r\n",
    b"QUIT": b"221 bye\r\n",
}
OK, MAIL_END = b"250 OK\r\n", b"\r\n.\r\n"


class MailServer(asyncio.Protocol):
    """One connection."""

    def __init__(self) -> None:
        self._received = b""
        self._is_mail = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(b"220 mail.localhost\r\n")

    def data_received(self, data: bytes) -> None:
        assert self._transport is not None
        self._received += data
        end = MAIL_END if self._is_mail else b"\r\n"
        if not self._received.endswith(end):
            return
        word = b"" if self._is_mail else self._received[:4].upper()
        self._received, self._is_mail = b"", word == b"DATA"
        self._transport.write(ANSWERS.get(word, OK))
        if word == b"QUIT":
            self._transport.close()


if __name__ == "__main__":
    main(MailServer)
