"""From what was sent to what is stored: any JPEG, PNG or WebP becomes an upright JPEG of sane size that says nothing
of where, when and with what it was taken. The same bytes become the same bytes."""

from io import BytesIO

from PIL import Image

from refunds.evidence import LONG_SIDE, Photo, check_sent, check_sides, no_photo, too_detailed

_ORIENTATION = 0x0112
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_QUALITY = 85


def photo_of(sent: bytes, *, path: str) -> Photo:
    """Raises Invalid at the path, for whatever is wrong with it."""
    check_sent(sent, path=path)
    with _opened(sent, path) as image:
        check_sides(*image.size, path=path)
        return _stored(_unpacked(image, path))


def _opened(sent: bytes, path: str) -> Image.Image:
    """Only its head is read."""
    try:
        return Image.open(BytesIO(sent), formats=("JPEG", "PNG", "WEBP"))
    except Image.DecompressionBombError:
        raise too_detailed(path) from None
    except Exception as error:  # a decoder raises anything over hostile bytes
        raise no_photo(path) from error


def _unpacked(image: Image.Image, path: str) -> Image.Image:
    """Its first picture, small enough and upright."""
    try:
        turn = _TURNS.get(_orientation(image))
        image.draft("RGB", (LONG_SIDE, LONG_SIDE))
        image.load()
        flat = _flat(image)
        flat.thumbnail((LONG_SIDE, LONG_SIDE))
        return flat.transpose(turn) if turn is not None else flat
    except Exception as error:  # as above
        raise no_photo(path) from error


def _orientation(image: Image.Image) -> int:
    """1, as it lies, where the metadata is broken: the picture itself may be fine."""
    try:
        return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:  # noqa: BLE001 - metadata of hostile bytes
        return 1


def _flat(image: Image.Image) -> Image.Image:
    """In RGB; what shines through is white."""
    if not image.has_transparency_data:
        return _as("RGB", image)
    layer = _as("RGBA", image)
    white = Image.new("RGB", layer.size, "white")
    white.paste(layer, mask=layer)
    return white


def _as(mode: str, image: Image.Image) -> Image.Image:
    """Without a copy where none is needed: these are the largest that there will be."""
    return image if image.mode == mode else image.convert(mode)


def _stored(image: Image.Image) -> Photo:
    """Nothing but pixels goes along: a comment and the like would be written with them."""
    image.info = {}
    out = BytesIO()
    image.save(out, "JPEG", quality=_QUALITY)
    return Photo(out.getvalue(), *image.size)
