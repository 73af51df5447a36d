"""What strangers typed, made safe to stand in a header or a line."""

import re

#: They end a line, or do whatever a terminal makes of them: all of Unicode's Cc, Zl and Zp.
_CONTROLS = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029]
#: They turn the direction of everything that follows them.
BIDI_CONTROLS = "".join(map(chr, (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))))
_VISIBLE = dict.fromkeys(_CONTROLS, " ") | dict.fromkeys(map(ord, BIDI_CONTROLS))
_SURROGATE = re.compile("[\ud800-\udfff]")
#: Before the @ the characters of an RFC 5322 dot-atom, which no mail library takes for anything but themselves.
_ADDRESS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[^@\s<>,;:\"\\()\[\]]+")
_ENCODED_WORD = "=?"
#: RFC 5321, 4.5.3.1.1.
LONGEST_LOCAL_PART = 64
PHONE = r"\+?[0-9][0-9 ()./-]{3,30}"


def single_line(text: str) -> str:
    """One line without control characters: no second header, no paragraph of its own in a greeting."""
    visible = text if text.isprintable() else text.translate(_VISIBLE)
    return " ".join(visible.split())


def is_seen(text: str) -> bool:
    """Nothing in it ends a line, commands a terminal, turns the direction or is no character at all."""
    return text.translate(_VISIBLE) == text and not _SURROGATE.search(text)


def paragraphs(text: str) -> str:
    """Free text with its line breaks, each line cleaned."""
    return "\n".join(single_line(line) for line in text.splitlines()).strip()


def is_mail_address(text: str) -> bool:
    """Exactly one plain address; everything else would let its author add recipients or headers, or have the mail go
    to another address than is written there."""
    is_plain = _ADDRESS.fullmatch(text) and _ENCODED_WORD not in text and single_line(text) == text
    local, _, domain = text.rpartition("@")
    return bool(is_plain) and len(local) <= LONGEST_LOCAL_PART and _is_domain(domain)


def _is_domain(domain: str) -> bool:
    """It can be asked for, and what is asked for is what is written: `①.example` would be `1.example` (RFC 3490)."""
    try:
        wire = domain.encode("idna")
        return wire.decode("idna") == domain.lower() or wire.decode("ascii").lower() == domain.lower()
    except UnicodeError:
        return False


def is_phone_number(text: str) -> bool:
    return bool(re.fullmatch(PHONE, text))
