"""What strangers typed, on one line."""

import sys
import unicodedata

from refunds.messages.clean import single_line

BIDI = {*"\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}


def test_of_all_characters_controls_and_line_ends_become_a_space_and_turners_of_direction_nothing() -> None:
    for character in map(chr, range(sys.maxunicode + 1)):
        ends = character.isspace() or unicodedata.category(character) in ("Cc", "Zl", "Zp")
        kept = " " if ends else "" if character in BIDI else character
        assert single_line(f"a{character}b") == f"a{kept}b", hex(ord(character))


def test_spaces_are_one_and_none_at_the_ends() -> None:
    assert single_line("  a \t\r\n\u2028 b\u202e ") == "a b"
