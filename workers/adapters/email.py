"""E-mail over SMTP, as Django sends it: one Message-ID for life, one thread per request, connections kept."""

import smtplib
import threading
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from django.core.mail import EmailMultiAlternatives

from workers.adapters.deadline import Flight, flying
from workers.adapters.smtp_transport import DeadlineBackend
from workers.ports import Budget, Delivered, Delivery, NotSent, OutgoingMessage, Refused, Unknown

DEFAULT_PORTS = {"smtp": 25, "smtp+tls": 587, "smtp+ssl": 465, "smtps": 465}


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """Where mail goes. `smtp://user:password@host:port`; `smtp+tls` upgrades, `smtp+ssl` and `smtps` begin with TLS."""

    host: str
    port: int
    username: str = ""
    password: str = ""
    use_tls: bool = False
    use_ssl: bool = False

    @classmethod
    def from_url(cls, url: str) -> "SmtpServer":
        """Raises ValueError for an address that is none of SMTP's."""
        parts = urlsplit(url)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            raise ValueError(f"not an SMTP address: {parts.scheme}://...")
        return cls(
            host=parts.hostname,
            port=parts.port or DEFAULT_PORTS[parts.scheme],
            username=unquote(parts.username or ""),
            password=unquote(parts.password or ""),
            use_tls=parts.scheme == "smtp+tls",
            use_ssl=parts.scheme in ("smtp+ssl", "smtps"),
        )


class SmtpMessenger:
    """Sends mail; each thread keeps a connection of its own."""

    def __init__(self, server: SmtpServer, *, from_email: str) -> None:
        self._server = server
        self._from_email = from_email
        self._local = threading.local()

    def send(self, message: OutgoingMessage, *, budget: Budget) -> Delivery:
        """Hand the mail to the server. Up to DATA nothing is handed over, so a kept connection may be replaced."""
        mail = self._mail(message)
        backend = self._backend()
        kept = backend.connection is not None
        with flying(Flight(budget)) as flight:
            if budget.spent():
                return NotSent("the budget was spent before the call")
            reply = _attempt(backend, mail, flight)
            if kept and _had_ended(reply) and not budget.spent():
                reply = _attempt(backend, mail, flight)
        return reply or Delivered(message.identity)

    def _mail(self, message: OutgoingMessage) -> EmailMultiAlternatives:
        headers = {"Message-ID": message.identity, "X-Refund": message.refund, "Auto-Submitted": "auto-generated"}
        if message.references:
            headers["References"] = " ".join(message.references)
            headers["In-Reply-To"] = message.references[-1]
        mail = EmailMultiAlternatives(
            subject=message.subject,
            body=message.text,
            from_email=message.sender or self._from_email,
            to=[message.to],
            headers={name: value for name, value in headers.items() if value},
        )
        if message.html:
            mail.attach_alternative(message.html, "text/html")
        return mail

    def _backend(self) -> DeadlineBackend:
        backend: DeadlineBackend | None = getattr(self._local, "backend", None)
        if backend is None:
            server = self._server
            backend = self._local.backend = DeadlineBackend(
                host=server.host,
                port=server.port,
                username=server.username,
                password=server.password,
                use_tls=server.use_tls,
                use_ssl=server.use_ssl,
            )
        return backend


def _attempt(
    backend: DeadlineBackend, mail: EmailMultiAlternatives, flight: Flight
) -> Refused | Unknown | NotSent | None:
    """One try over the backend's connection; None when the server took the mail."""
    try:
        backend.open()
        backend.send_messages([mail])
    except smtplib.SMTPRecipientsRefused as exc:
        backend.drop_if_closed()
        code, text = next(iter(exc.recipients.values()))
        return _refused(code, text, flight)
    except smtplib.SMTPResponseException as exc:
        backend.drop_if_closed()
        return _refused(exc.smtp_code, exc.smtp_error, flight)
    except smtplib.SMTPNotSupportedError as exc:
        return Refused("smtp_not_supported", str(exc))
    except (smtplib.SMTPException, OSError) as exc:
        backend.drop()
        return _lost(f"{type(exc).__name__}: {exc}", flight)
    except ValueError as exc:
        return Refused("bad_message", str(exc))
    return None


def _had_ended(reply: Refused | Unknown | NotSent | None) -> bool:
    """The server had closed a kept connection, or closes it now with its 421, before anything was handed over."""
    return isinstance(reply, NotSent) or (isinstance(reply, Refused) and reply.code == "smtp_421")


def _refused(code: int, text: bytes | str, flight: Flight) -> Refused | Unknown | NotSent:
    """4xx may be tried again, 5xx not. A code that smtplib made up, its text being no bytes, is no answer."""
    if isinstance(text, str) or not 400 <= code < 600:
        return _lost(f"the server's answer makes no sense: {code}", flight)
    return Refused(f"smtp_{code}", text.decode("utf-8", "replace")[:300], retryable=code < 500)


def _lost(reason: str, flight: Flight) -> Unknown | NotSent:
    return Unknown(reason[:300]) if flight.written else NotSent(reason[:300])
