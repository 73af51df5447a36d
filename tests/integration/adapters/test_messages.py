"""Mail and SMS to the inbox, and what each way of failing means."""

import itertools
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.adapters.conftest import Inbox
from tests.integration.adapters.peers import SECRET, answering, budget, free_port, http, peer_process, raw_server
from workers.adapters.email import SmtpMessenger, SmtpServer
from workers.adapters.sms import SmsMessenger
from workers.ports import Delivered, Messenger, NotSent, OutgoingMessage, Refused, Unknown

_counter = itertools.count(1)


def letter(**more: Any) -> OutgoingMessage:
    number = next(_counter)
    fields = {
        "identity": f"<rf-{number}@shop.example>",
        "to": f"p{number}@example.com",
        "subject": "退款已完成 ✓",
        "text": "您好，¥58.00 已退回。",
        "html": "<p>您好，<b>¥58.00</b> 已退回。</p>",
        "refund": f"RFMAIL-{number}",
    }
    return OutgoingMessage(**{**fields, **more})


def sms(**more: Any) -> OutgoingMessage:
    number = next(_counter)
    fields = {"identity": f"sms-{number}", "to": f"+4915{number:07}", "text": "退款 58.00", "refund": f"RFSMS-{number}"}
    return OutgoingMessage(**{**fields, **more})


def test_mail_arrives_in_unicode_with_its_identity_and_thread(inbox: Inbox) -> None:
    sent = letter(references=("<first@shop.example>", "<second@shop.example>"))
    assert inbox.mail.send(sent, budget=budget()) == Delivered(sent.identity)
    (got,) = inbox.messages(to=sent.to)
    assert (got["channel"], got["subject"], got["refund"]) == ("email", sent.subject, sent.refund)
    assert (got["text"].strip(), got["html"].strip(), got["message_id"]) == (sent.text, sent.html, sent.identity)
    assert got["references"] == list(sent.references)
    assert got["from"] == "Shop <refunds@shop.example>"


def test_duplicates_are_all_kept_under_one_identity(inbox: Inbox) -> None:
    for messenger, message in ((inbox.mail, letter()), (inbox.sms, sms())):
        for _ in range(2):
            assert isinstance(messenger.send(message, budget=budget()), Delivered)
        got = inbox.messages(refund=message.refund)
        assert [m["message_id"] for m in got] == [message.identity] * 2


@pytest.mark.parametrize("farewell", [b"", b"421 4.4.2 idle too long\r\n"])
def test_connection_is_kept_and_replaced_when_it_ended(farewell: bytes) -> None:
    served: list[int] = []

    def smtp_session(connection: socket.socket, *, messages: int) -> None:
        served.append(0)
        lines = connection.makefile("rb")
        connection.sendall(b"220 hello\r\n")
        while messages and (line := lines.readline()):
            if line.upper().startswith(b"DATA"):
                connection.sendall(b"354 go\r\n")
                while lines.readline() != b".\r\n":
                    pass
                served[-1] += 1
                messages -= 1
            connection.sendall(b"250 ok\r\n")
        connection.sendall(farewell)

    with raw_server(lambda c: smtp_session(c, messages=2), lambda c: smtp_session(c, messages=9)) as address:
        host, port = address.split(":")
        messenger = SmtpMessenger(SmtpServer(host, int(port)), from_email="a@b.example")
        replies = [messenger.send(letter(), budget=budget()) for _ in range(3)]
    assert all(isinstance(reply, Delivered) for reply in replies), replies
    assert served == [2, 1]


@pytest.mark.parametrize(
    ("behaviour", "code", "retryable"), [("reject_550", "smtp_550", False), ("defer_451", "smtp_451", True)]
)
def test_mail_refused_for_good_or_for_now(inbox: Inbox, behaviour: str, code: str, retryable: bool) -> None:
    messenger, message = inbox.mail, letter()
    inbox.fault("email", behaviour, to=message.to)
    reply = messenger.send(message, budget=budget())
    assert isinstance(reply, Refused) and (reply.code, reply.retryable) == (code, retryable)
    assert inbox.messages(to=message.to) == []
    assert isinstance(messenger.send(message, budget=budget()), Delivered), "the connection serves on"


@pytest.mark.parametrize(("behaviour", "kept"), [("timeout_after_accept", 1), ("drop_connection", 0)])
def test_break_after_the_hand_over_is_unknown(inbox: Inbox, behaviour: str, kept: int) -> None:
    for channel, messenger, message in (("email", inbox.mail, letter()), ("sms", inbox.sms, sms())):
        inbox.fault(channel, behaviour, to=message.to)
        reply = messenger.send(message, budget=budget(1.0))
        assert isinstance(reply, Unknown) and not reply.answered, reply
        assert len(inbox.messages(to=message.to)) == kept
        assert isinstance(messenger.send(message, budget=budget()), Delivered)


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        ("reject_400", Refused("bad_number", "scripted")),
        ("rate_limit_429", Refused("rate_limited", "scripted", retryable=True)),
        ("error_500", Unknown("HTTP 500", answered=True)),
    ],
)
def test_sms_answers_are_told_apart(inbox: Inbox, behaviour: str, expected: Any) -> None:
    message = sms()
    inbox.fault("sms", behaviour, to=message.to)
    assert inbox.sms.send(message, budget=budget()) == expected
    assert inbox.messages(to=message.to) == []


def test_sms_carries_template_and_parameters(inbox: Inbox) -> None:
    message = sms(text="", template="refunded", params={"amount": "¥58.00"})
    reply = inbox.sms.send(message, budget=budget())
    (got,) = inbox.messages(to=message.to)
    assert reply == Delivered(f"sms_{got['id']}")
    assert (got["template"], got["params"], got["refund"]) == ("refunded", {"amount": "¥58.00"}, message.refund)


@pytest.mark.parametrize("body", [b"thanks", b'{"id": null}', b""])
def test_any_2xx_is_a_yes_for_an_sms(body: bytes) -> None:
    message = sms()
    with raw_server(answering("202 Accepted", body)) as address:
        reply = SmsMessenger(f"http://{address}/sms", secret=SECRET).send(message, budget=budget())
    assert reply == Delivered(message.identity)


def unreachable_mail() -> Messenger:
    return SmtpMessenger(SmtpServer("127.0.0.1", free_port()), from_email="a@b.example")


def unreachable_sms() -> Messenger:
    return SmsMessenger(f"http://127.0.0.1:{free_port()}", secret=SECRET)


@pytest.mark.parametrize("messenger", [unreachable_mail, unreachable_sms])
def test_unreachable_server_means_not_sent(messenger: Callable[[], Messenger]) -> None:
    assert isinstance(messenger().send(letter(), budget=budget()), NotSent)


def test_spent_budget_means_not_sent(inbox: Inbox) -> None:
    for messenger, message in ((inbox.mail, letter()), (inbox.sms, sms())):
        assert isinstance(messenger.send(message, budget=budget(0.0)), NotSent)
        assert inbox.messages(to=message.to) == []


@pytest.mark.parametrize(
    "more",
    [{"subject": "a\nBcc: all@example.com"}, {"to": "@"}, {"to": "a@b.example\r\nX: y"}, {"text": "\ud800"}],
)
def test_mail_that_cannot_be_written_is_refused(inbox: Inbox, more: dict[str, str]) -> None:
    reply = inbox.mail.send(letter(**more), budget=budget())
    assert isinstance(reply, Refused) and not reply.retryable, reply


def dripping(connection: socket.socket) -> None:
    """A greeting that never ends, a byte at a time."""
    while True:
        connection.sendall(b"2")
        select_pause(connection)


def select_pause(connection: socket.socket) -> None:
    connection.settimeout(0.05)
    try:
        connection.recv(1)
    except TimeoutError:
        return


def test_server_that_drips_is_cut_by_the_deadline() -> None:
    with raw_server(dripping) as address:
        host, port = address.split(":")
        messenger = SmtpMessenger(SmtpServer(host, int(port)), from_email="a@b.example")
        allowed = budget(0.3)
        assert isinstance(messenger.send(letter(), budget=allowed), NotSent)
        assert allowed.spent()


def test_answer_to_data_that_makes_no_sense_is_unknown() -> None:
    def act(connection: socket.socket) -> None:
        lines = connection.makefile("rb")
        connection.sendall(b"220 hello\r\n")
        while (line := lines.readline()).upper()[:4] != b"DATA":
            connection.sendall(b"250 ok\r\n" if line else b"")
        connection.sendall(b"354 go\r\n")
        while lines.readline() != b".\r\n":
            pass
        connection.sendall(b"banana\r\n")

    with raw_server(act) as address:
        host, port = address.split(":")
        messenger = SmtpMessenger(SmtpServer(host, int(port)), from_email="a@b.example")
        assert isinstance(messenger.send(letter(), budget=budget()), Unknown)


@pytest.mark.parametrize(
    "body", [[], {"fax": {}}, {"email": {"behaviour": "explode"}}, {"sms": {"behaviour": "error_500", "times": -1}}]
)
def test_bad_fault_is_told(inbox: Inbox, body: Any) -> None:
    with pytest.raises(urllib.error.HTTPError, match="422"):
        http("PUT", f"{inbox.url}/faults", body)


def test_sms_without_signature_is_refused(inbox: Inbox) -> None:
    with pytest.raises(urllib.error.HTTPError, match="401"):
        http("POST", f"{inbox.url}/sms", {"id": "1", "to": "+1", "text": "x"})


def test_pages_show_a_mail_without_running_it(inbox: Inbox) -> None:
    message = letter(html='<script>alert(1)</script><p>"paid"</p>', subject="<b>bold</b>")
    inbox.mail.send(message, budget=budget())
    (got,) = inbox.messages(to=message.to)
    for path in (f"/?to={message.to}", f"/messages/{got['id']}"):
        page = fetch(inbox.url + path)
        assert "&lt;b&gt;bold" in page and "<script>" not in page and 'name="viewport"' in page
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox" src="/messages/' in page
    with urllib.request.urlopen(f"{inbox.url}/messages/{got['id']}/html", timeout=10) as mail:
        assert mail.headers["Content-Security-Policy"].startswith("sandbox allow-popups")
        assert "default-src 'none'" in mail.headers["Content-Security-Policy"]


def test_messages_survive_a_kill(tmp_path: Any) -> None:
    message = sms()
    for expected in ([], [message.identity]):
        with peer_process("workers.local.inbox", "--home", str(tmp_path), "--secret", SECRET) as (url, _):
            assert [m["message_id"] for m in http("GET", f"{url}/messages")] == expected
            SmsMessenger(f"{url}/sms", secret=SECRET).send(message, budget=budget())


def fetch(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return str(answer.read().decode())
