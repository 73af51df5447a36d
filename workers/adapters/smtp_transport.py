"""Django's SMTP backend over deadline sockets, so that a mail's fate is known as exactly as SMTP allows."""

import io
import smtplib
import socket
from typing import Any

from django.core.mail.backends.smtp import EmailBackend

from workers.adapters.deadline import DeadlineReader, connect, current_flight


class _Deadlined:
    """Mixed into smtplib's clients. Nothing is handed over before DATA, so that is where `written` begins."""

    sock: socket.socket | None
    file: Any

    def _get_socket(self, host: str, port: int, _timeout: Any) -> socket.socket:
        return connect((host, port))

    def getreply(self) -> tuple[int, bytes]:
        if self.file is None and self.sock is not None:
            self.file = io.BufferedReader(DeadlineReader(self.sock))
        return super().getreply()  # type: ignore[misc]

    def send(self, data: Any) -> None:
        left = current_flight().left()
        if self.sock is not None:
            self.sock.settimeout(left)
        super().send(data)  # type: ignore[misc]

    def data(self, msg: Any) -> tuple[int, bytes]:
        current_flight().written = True
        return super().data(msg)  # type: ignore[misc]


class _PlainSmtp(_Deadlined, smtplib.SMTP):
    pass


class _SecureSmtp(_Deadlined, smtplib.SMTP_SSL):
    def _get_socket(self, host: str, port: int, timeout: Any) -> socket.socket:
        plain = super()._get_socket(host, port, timeout)
        return self.context.wrap_socket(plain, server_hostname=self._host)  # type: ignore[attr-defined]


class DeadlineBackend(EmailBackend):
    """Keeps its connection between messages. To be used by one thread, inside of `flying`."""

    connection: smtplib.SMTP | None
    _partial_connection: smtplib.SMTP | None

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return _SecureSmtp if self.use_ssl else _PlainSmtp

    def drop(self) -> None:
        """Forget the connection without a word to the server."""
        for connection in (self.connection, self._partial_connection):
            if connection is not None:
                connection.close()
        self.connection = self._partial_connection = None

    def drop_if_closed(self) -> None:
        """Forget a connection that the server has ended."""
        if self.connection is not None and self.connection.sock is None:
            self.connection = None
