"""Signatures: what holds, and everything that must not."""

import base64

import pytest

from workers.adapters import signing
from workers.ports import BadSignature

# The example published with the Standard Webhooks scheme's reference libraries.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
MESSAGE_ID, NOW, BODY = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}'
PUBLISHED = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def headers(**changes: str) -> dict[str, str]:
    signed = signing.sign(SECRET, BODY, message_id=MESSAGE_ID, now=NOW)
    return {**signed, **{f"webhook-{name}": value for name, value in changes.items()}}


def test_signature_is_the_published_one() -> None:
    assert headers()[signing.SIGNATURE] == PUBLISHED


def test_each_of_several_secrets_signs() -> None:
    other = "whsec_b3RoZXI="
    signed = signing.sign(f"{other}\n{SECRET}\n", BODY, message_id=MESSAGE_ID, now=NOW)
    assert signed[signing.SIGNATURE].split()[1:] == PUBLISHED.split()
    for secret in (other, SECRET):
        assert signing.verify(secret, BODY, headers=signed, now=NOW) == MESSAGE_ID


@pytest.mark.parametrize("signature", [PUBLISHED, f"v1,bad {PUBLISHED}", f"{PUBLISHED} v2,other"])
def test_one_good_signature_among_several_is_enough(signature: str) -> None:
    assert signing.verify(SECRET, BODY, headers=headers(signature=signature), now=NOW) == MESSAGE_ID


def test_header_names_are_read_in_any_case() -> None:
    shouted = {name.title(): value for name, value in headers().items()}
    assert signing.verify(SECRET, BODY, headers=shouted, now=NOW + 299) == MESSAGE_ID


@pytest.mark.parametrize(
    "changes",
    [
        {"signature": ""},
        {"signature": "v1,"},
        {"signature": PUBLISHED.removeprefix("v1,")},
        {"signature": PUBLISHED.replace("v1,", "v2,")},
        {"signature": "v1,ünïcode"},
        {"id": ""},
        {"id": "msg_other"},
        {"timestamp": ""},
        {"timestamp": "soon"},
        {"timestamp": "²"},
        {"timestamp": "9" * 5000},
        {"timestamp": str(NOW + 1)},
    ],
)
def test_anything_else_is_refused(changes: dict[str, str]) -> None:
    with pytest.raises(BadSignature):
        signing.verify(SECRET, BODY, headers=headers(**changes), now=NOW)


@pytest.mark.parametrize("seconds", [-301, 301, 10_000_000])
def test_old_and_future_ones_are_refused(seconds: int) -> None:
    with pytest.raises(BadSignature, match="five minutes"):
        signing.verify(SECRET, BODY, headers=headers(), now=NOW + seconds)


def test_another_body_is_refused() -> None:
    with pytest.raises(BadSignature):
        signing.verify(SECRET, BODY + b" ", headers=headers(), now=NOW)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_***", "whsec_a"])
def test_empty_or_unreadable_secret_is_refused_at_once(secret: str) -> None:
    with pytest.raises(BadSignature):
        signing.sign(secret, BODY, message_id=MESSAGE_ID, now=NOW)
    with pytest.raises(BadSignature):
        signing.verify(secret, BODY, headers=headers(), now=NOW)


def test_secret_may_come_without_its_prefix() -> None:
    assert signing.secret_key(base64.b64encode(b"k").decode()) == signing.secret_key("whsec_aw==") == b"k"
