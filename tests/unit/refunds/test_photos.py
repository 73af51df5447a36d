"""What becomes of a picture that somebody sends: one of ours without metadata, or a refusal that says why."""

import random
from io import BytesIO

import pytest

from orders.errors import Conflict, Invalid
from refunds import evidence
from refunds.evidence import MOST_BYTES, MOST_PHOTOS, MOST_SCANS, check_room
from refunds.photos import photo_of
from tests.pictures import exif_of_a_phone, opened, picture, png_bomb

#: A profile of no colour space that decoders know.
ICC, XMP = b"\x00" * 128 + b"SECRET-ICC", b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>SECRET-XMP</x:xmpmeta>"
#: The orientation, and where the top left pixel of what was stored lies in what was sent.
CORNERS = {
    1: (0, 0),
    2: (1, 0),
    3: (1, 1),
    4: (0, 1),
    5: (0, 0),
    6: (0, 1),
    7: (1, 1),
    8: (1, 0),
}


def refusal(sent: bytes) -> str:
    with pytest.raises(Invalid) as refused:
        photo_of(sent, path="photos")
    [error] = refused.value.errors
    assert error.field == "photos"
    return error.code


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_each_kind_becomes_a_jpeg(kind: str) -> None:
    photo = photo_of(picture(kind), path="")
    assert (photo.width, photo.height, opened(photo.data).format) == (60, 40, "JPEG")


def test_where_when_and_with_what_it_was_taken_is_gone() -> None:
    sent = picture(exif=exif_of_a_phone(), icc_profile=ICC, xmp=XMP, comment=b"SECRET-COMMENT", dpi=(300, 300))
    assert opened(sent).getexif().get_ifd(0x8825)[1] == "N"
    assert all(secret in sent for secret in (b"Secret Phone", b"SECRET-ICC", b"SECRET-XMP", b"SECRET-COMMENT"))
    stored = photo_of(sent, path="").data
    kept = opened(stored)
    assert set(kept.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"} and not kept.getexif()
    assert b"ecret" not in stored and b"SECRET" not in stored and b"Exif" not in stored


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_nor_does_another_kind_tell_it(kind: str) -> None:
    stored = photo_of(picture(kind, exif=exif_of_a_phone(), icc_profile=ICC), path="").data
    assert b"ecret" not in stored and b"SECRET" not in stored and not opened(stored).getexif()


@pytest.mark.parametrize("orientation", CORNERS)
def test_it_is_stored_upright(orientation: int) -> None:
    four = opened(picture("PNG", size=(64, 32))).convert("RGB")
    for (x, y), colour in {(0, 0): "red", (1, 0): "lime", (0, 1): "blue", (1, 1): "white"}.items():
        four.paste(colour, (32 * x, 16 * y, 32 * x + 32, 16 * y + 16))
    exif = exif_of_a_phone(orientation=orientation)
    photo = photo_of(saved(four, exif), path="")
    assert (photo.width, photo.height) == ((64, 32) if orientation < 5 else (32, 64))
    x, y = CORNERS[orientation]
    assert near(opened(photo.data).getpixel((3, 3)), four.getpixel((32 * x + 3, 16 * y + 3)))


def saved(image, exif) -> bytes:
    out = BytesIO()
    image.save(out, "PNG", exif=exif)
    return out.getvalue()


def near(one, other) -> bool:
    return all(abs(a - b) < 40 for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("sent", "stored"), [((2400, 1200), (2000, 1000)), ((900, 3000), (600, 2000)), ((9, 9), (9, 9))]
)
def test_the_long_side_has_at_most_2000_pixels(sent, stored) -> None:
    photo = photo_of(picture(size=sent), path="")
    assert (photo.width, photo.height) == stored


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16", "CMYK"])
def test_every_sort_of_pixels_is_read(mode: str) -> None:
    kind = "JPEG" if mode == "CMYK" else "PNG"
    assert opened(photo_of(picture(kind, mode=mode, colour=0), path="").data).mode == "RGB"  # type: ignore[arg-type]


def test_what_shines_through_is_white() -> None:
    sent = picture("PNG", mode="RGBA", colour="#ff000000")
    assert near(opened(photo_of(sent, path="").data).getpixel((5, 5)), (255, 255, 255))


def test_the_same_bytes_become_the_same_bytes() -> None:
    sent = picture("PNG", size=(2100, 50))
    assert photo_of(sent, path="") == photo_of(sent, path="")


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\xff\xd8\xff",
        b"%PDF-1.7",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"\x89PNG\r\n\x1a\n",
        b"RIFF0000WEBP",
    ],
)
def test_what_is_no_picture_is_refused(sent: bytes) -> None:
    assert refusal(sent) == "no_photo"


@pytest.mark.parametrize("kind", ["GIF", "BMP", "TIFF", "ICO"])
def test_other_kinds_are_refused(kind: str) -> None:
    assert refusal(picture(kind)) == "no_photo"


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_torn_or_a_bent_one_is_refused_or_read_and_never_more(kind: str) -> None:
    whole, chance = picture(kind, size=(300, 200), exif=exif_of_a_phone()), random.Random(7)
    assert refusal(whole[: len(whole) // 2]) == "no_photo"
    for _ in range(150):
        bent = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            bent[chance.randrange(12, len(bent))] = chance.randrange(256)
        try:
            photo_of(bytes(bent), path="")
        except Invalid as refused:
            assert refused.code in ("no_photo", "photo_too_detailed")


def test_broken_metadata_is_no_reason_to_refuse_a_picture() -> None:
    sent = picture(exif=b"Exif\x00\x00MM\x00\x2a\xff\xff\xff\xff")
    assert photo_of(sent, path="").width == 60


@pytest.mark.parametrize("side", [6_400, 12_000, 60_000])
def test_a_bomb_is_refused_by_what_it_says_of_itself(side: int, monkeypatch) -> None:
    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", lambda image: pytest.fail("it was unpacked"))
    assert refusal(png_bomb(side)) == "photo_too_detailed"


def test_a_jpeg_that_keeps_a_decoder_busy_is_refused() -> None:
    assert refusal(picture() + b"\xff\xda" * MOST_SCANS) == "no_photo"


def test_too_many_bytes_are_refused() -> None:
    assert refusal(picture() + b"\x00" * MOST_BYTES) == "photo_too_large"


@pytest.mark.parametrize(
    ("stored", "new", "fits"), [(0, 8, True), (7, 1, True), (8, 1, False), (0, 9, False), (6, 3, False)]
)
def test_a_refund_has_few(stored: int, new: int, fits: bool) -> None:
    if fits:
        check_room(stored=stored, new=new)
        return
    with pytest.raises(Conflict) as refused:
        check_room(stored=stored, new=new)
    assert (refused.value.code, refused.value.extra) == ("too_many_photos", {"most": MOST_PHOTOS, "stored": stored})


def test_what_is_sent_is_named_by_its_content() -> None:
    kinds = [evidence.type_of(picture(kind)) for kind in ("JPEG", "PNG", "WEBP", "GIF")]
    assert kinds == [*evidence.TYPES, None]
