"""Pictures as people send them, and what is in one."""

import struct
import zlib
from io import BytesIO
from typing import Any

from PIL import Image
from PIL.ExifTags import IFD, Base

from refunds.evidence import Photo
from refunds.photos import photo_of


def picture(kind: str = "JPEG", *, size: tuple[int, int] = (60, 40), colour: str = "red", **saved: Any) -> bytes:
    out = BytesIO()
    Image.new(saved.pop("mode", "RGB"), size, colour).save(out, kind, **saved)
    return out.getvalue()


def photo(colour: str = "red") -> Photo:
    """As it is stored."""
    return photo_of(picture(colour=colour), path="")


def opened(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data))


def exif_of_a_phone(*, orientation: int = 1) -> Image.Exif:
    """Where, when and with what."""
    exif = Image.Exif()
    exif[Base.Make], exif[Base.DateTime], exif[Base.Orientation] = "Secret Phone", "2026:12:01 10:00:00", orientation
    exif.get_ifd(IFD.GPSInfo).update({1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (13.0, 24.0, 18.0)})
    return exif


def png_bomb(side: int) -> bytes:
    """Says that it has side x side pixels, in few bytes."""
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*c) for c in ((b"IHDR", head), (b"IDAT", b"x"), (b"IEND", b"")))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
