"""One SMS: 160 septets of the GSM alphabet, or 70 UTF-16 units of anything else."""

import unicodedata
from collections.abc import Callable, Mapping

_GSM = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
    "abcdefghijklmnopqrstuvwxyzäöñüà"
)
_GSM_ESCAPED = frozenset("^{}\\[~]|€")
_GSM_ALL = _GSM | _GSM_ESCAPED
_LIKENESSES = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "...", "\u00a0": " ", "\u202f": " "}
)
#: What may be cut, in this order, and whether its end is kept (order numbers differ at the end).
_CUTTABLE = (("shop", False), ("order", True))


def in_gsm(text: str) -> bool:
    return _GSM_ALL.issuperset(text)


def to_gsm(text: str, *, instead: str) -> str:
    """The text in the GSM alphabet, accents dropped where need be; `instead` stands for what has no likeness."""
    if in_gsm(text):
        return text.strip()
    return "".join(_gsm_character(c, instead) for c in text.translate(_LIKENESSES)).strip()


def room_left(text: str) -> int:
    """Characters that still fit into the one SMS; negative: so many are too much."""
    if in_gsm(text):
        return 160 - len(text) - sum(map(text.count, _GSM_ESCAPED))
    return 70 - len(text.encode("utf-16-le")) // 2


def fitted(params: Mapping[str, str], render: Callable[[Mapping[str, str]], str]) -> tuple[dict[str, str], str]:
    """The parameters, the shop's name and then the order's number cut until the rendered text is one SMS; the text."""
    kept, text = dict(params), render(params)
    room = room_left(text)
    for name, keeps_end in _CUTTABLE:
        while kept[name] and room < 0:
            kept[name] = _shorter(kept[name], keeps_end)
            text = render(kept)
            room = room_left(text)
    return kept, text


def _gsm_character(character: str, instead: str) -> str:
    if in_gsm(character):
        return character
    base = "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))
    return base if base and in_gsm(base) else instead


def _shorter(text: str, keeps_end: bool) -> str:
    bare = text.strip(".")
    if len(bare) <= 1:
        return ""
    return f"..{bare[2:]}" if keeps_end and len(bare) > 2 else f"{bare[:-1].rstrip()}."
