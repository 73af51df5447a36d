"""What strangers typed, on one line; and addresses that are the ones mail goes to."""

import sys
import unicodedata

from django.core.mail.message import sanitize_address

from refunds.messages.clean import is_mail_address, single_line

BIDI = {*"\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}


def test_of_all_characters_controls_and_line_ends_become_a_space_and_turners_of_direction_nothing() -> None:
    for character in map(chr, range(sys.maxunicode + 1)):
        ends = character.isspace() or unicodedata.category(character) in ("Cc", "Zl", "Zp")
        kept = " " if ends else "" if character in BIDI else character
        assert single_line(f"a{character}b") == f"a{kept}b", hex(ord(character))


def test_spaces_are_one_and_none_at_the_ends() -> None:
    assert single_line("  a \t\r\n\u2028 b\u202e ") == "a b"


def test_an_address_is_one_only_where_mail_to_it_goes_there_and_nowhere_else() -> None:
    """Who sends it leaves a comment out, decodes an encoded word, and makes other letters before the @ one."""
    characters = [*map(chr, range(0x80)), "ö", "李", "\u2028", "\u202e", "\ufeff"]
    odd = [f"a{c}b@shop.example" for c in characters] + [f"a@sh{c}op.example" for c in map(chr, range(0x80))]
    odd += ["=?utf-8?q?=42?=@shop.example", "=?utf-8?b?Yg==?=@shop.example", "a(b)@shop.example", "a@shop(x).example"]
    goes = {address: _sent_to(address) for address in odd if is_mail_address(address)}
    assert {address: to for address, to in goes.items() if to != address.lower() and to != address} == {}
    assert {"a!b@shop.example", "a'b@shop.example", "a+b@shop.example", "a.b@shop.example"} <= goes.keys()


def _sent_to(address: str) -> str:
    try:
        return sanitize_address(address, "utf-8")
    except ValueError as error:
        return repr(error)
