"""Signatures of the Standard Webhooks scheme, for requests we send and for webhooks we receive.

Signed is `id.timestamp.content`, HMAC-SHA256 under a secret written `whsec_<base64>`; several signatures may stand
side by side, so that a secret can be changed without a gap. The content is the body, or of a GET `METHOD target`.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping

from workers.ports import BadSignature

PREFIX = "whsec_"
TOLERANCE_SECONDS = 300.0
ID, TIMESTAMP, SIGNATURE = "webhook-id", "webhook-timestamp", "webhook-signature"


def secret_key(secret: str) -> bytes:
    """The bytes of a secret. An empty or unreadable one is refused: under it anybody could sign."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError) as exc:
        raise BadSignature("the account's secret is not base64") from exc
    if not key:
        raise BadSignature("the account has no secret")
    return key


def sign(secret: str, content: bytes, *, message_id: str, now: float) -> dict[str, str]:
    """The three headers for this content. `now` is in seconds since the epoch. Of several secrets, parted by white
    space, each signs: so one takes the place of another without a gap."""
    timestamp = str(int(now))
    keys = [secret_key(part) for part in secret.split() or [""]]
    signatures = [f"v1,{_signature(key, message_id, timestamp, content)}" for key in keys]
    return {ID: message_id, TIMESTAMP: timestamp, SIGNATURE: " ".join(signatures)}


def verify(secret: str, content: bytes, *, headers: Mapping[str, str], now: float) -> str:
    """The message id of a signature that holds and is at most five minutes off. Raises BadSignature."""
    key = secret_key(secret)
    lowered = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = lowered.get(ID, ""), lowered.get(TIMESTAMP, "")
    _check_age(timestamp, now)
    expected = _signature(key, message_id, timestamp, content).encode()
    if not message_id or not _names(lowered.get(SIGNATURE, ""), expected):
        raise BadSignature("the signature does not match")
    return message_id


def _signature(key: bytes, message_id: str, timestamp: str, content: bytes) -> str:
    signed = f"{message_id}.{timestamp}.".encode() + content
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def _check_age(timestamp: str, now: float) -> None:
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise BadSignature("the timestamp is missing or no number")
    if abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        raise BadSignature("the timestamp is more than five minutes off")


def _names(signatures: str, expected: bytes) -> bool:
    candidates = [part.removeprefix("v1,") for part in signatures.split(" ") if part.startswith("v1,")]
    return any(hmac.compare_digest(candidate.encode(), expected) for candidate in candidates)
