"""What may be sent as evidence: photos, so many, so large. Pure, and the one place of the limits."""

from dataclasses import dataclass
from hashlib import sha256

from orders.errors import Conflict, Invalid

#: Of one refund.
MOST_PHOTOS = 8
#: Of one photo as it is sent.
MOST_BYTES = 10 * 1024 * 1024
MOST_PIXELS = 40_000_000
#: A progressive JPEG has about ten; each is a pass over all of its pixels.
MOST_SCANS = 100
#: Of a photo as it is stored, in pixels.
LONG_SIDE = 2000
#: What a photo can be sent as.
TYPES = ("image/jpeg", "image/png", "image/webp")
#: What a photo is stored and served as.
STORED_TYPE = "image/jpeg"

_SCAN = b"\xff\xda"


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo as it is stored: a JPEG of ours, without metadata; the sides in pixels."""

    data: bytes
    width: int
    height: int

    @property
    def sha256(self) -> str:
        return sha256(self.data).hexdigest()


def type_of(sent: bytes) -> str | None:
    """By what it begins with, whatever it is called; None for none of ours."""
    if sent.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if sent.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    return "image/webp" if sent[:4] == b"RIFF" and sent[8:12] == b"WEBP" else None


def check_sent(sent: bytes, *, path: str) -> None:
    """What can be said without reading the picture. Raises Invalid."""
    if len(sent) > MOST_BYTES:
        raise Invalid.of(path, "photo_too_large", f"A photo has at most {MOST_BYTES} bytes.")
    kind = type_of(sent)
    if kind is None or (kind == "image/jpeg" and sent.count(_SCAN) > MOST_SCANS):
        raise no_photo(path)


def check_sides(width: int, height: int, *, path: str) -> None:
    """To be asked before the pixels are unpacked: a small file can hold very many. Raises Invalid."""
    if width * height > MOST_PIXELS:
        raise too_detailed(path)


def check_room(*, stored: int, new: int) -> None:
    """Raises Conflict."""
    if stored + new > MOST_PHOTOS:
        detail = f"A refund has at most {MOST_PHOTOS} photos; this one has {stored}."
        raise Conflict("too_many_photos", detail, most=MOST_PHOTOS, stored=stored)


def no_photo(path: str) -> Invalid:
    return Invalid.of(path, "no_photo", "Send a photo as JPEG, PNG or WebP: this is none, or is broken.")


def too_detailed(path: str) -> Invalid:
    return Invalid.of(path, "photo_too_detailed", f"A photo has at most {MOST_PIXELS} pixels.")
