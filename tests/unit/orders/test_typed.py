"""What strangers typed, on one line; and addresses that are the ones mail goes to."""

import sys
import unicodedata

import pytest
from django.core.mail.message import sanitize_address
from rest_framework.exceptions import ValidationError

from orders.api.bodies import CustomerBody
from orders.typed import is_mail_address, is_phone_number, single_line

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


def test_what_an_order_is_taken_with_is_written_to_and_nothing_else() -> None:
    """What is refused later would be told to nobody: neither customer nor shop would hear of it."""
    characters = [*map(chr, range(0x80)), "ö", "李", "\u202e", "\ufeff"]
    addresses = [form.format(c) for c in characters for form in ("a{}b@c.example", '"{}"@c.example', "a@c{}d.example")]
    addresses += ["a@[127.0.0.1]", "=?utf-8?q?x?=@c.example", "a@例子.cn", "a@localhost", "a..b@c.example"]
    numbers = [f"+49{c}301{c}2" for c in characters] + ["1" * n for n in range(40)]
    taken = {text for text in addresses + numbers if _is_taken(email=text) or _is_taken(phone=text)}
    assert {text for text in taken if not (is_mail_address(text) or is_phone_number(text))} == set()
    assert {text: to for text in taken & {*addresses} if (to := _sent_to(text)).startswith("ValueError")} == {}
    assert {"a@例子.cn", "a+b@c.example", "+49/301/2", "a@c-d.example"} <= taken


def _is_taken(**customer: str) -> bool:
    try:
        CustomerBody().run_validation(customer)
    except ValidationError:
        return False
    return all(customer.values())


def _sent_to(address: str) -> str:
    try:
        return sanitize_address(address, "utf-8")
    except ValueError as error:
        return repr(error)


@pytest.mark.parametrize(
    ("address", "goes"),
    [
        (f"{'a' * 64}@shop.example", True),
        (f"{'a' * 65}@shop.example", False),
        (f"ada@{'a' * 63}.example", True),
        (f"ada@{'a' * 64}.example", False),
        (f"ada@{'é' * 50}.example", True),
        (f"ada@{'é' * 60}.example", False),
        ("ada@Shop.Example", True),
        ("ada@MÜLLER.example", True),
        ("ada@例子.cn", True),
        ("ada@xn--fsqu00a.cn", True),
        ("ada@xn--a.example", False),
        ("ada@①.example", False),
        ("ada@straße.example", False),
        ("ada@shop。example", False),
        ("ada@shop..example", False),
    ],
)
def test_a_domain_can_be_asked_for_and_is_the_one_that_is_written(address: str, goes: bool) -> None:
    """What a mail library makes of other letters is somebody else's; what is too long on the wire is nobody's."""
    assert is_mail_address(address) == goes
