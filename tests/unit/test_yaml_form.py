"""YAML is read without guessing, and never does more than it says."""

from typing import Any

import pytest

from refunds.management.yaml_form import NotYaml, dump, load


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("NO", "NO"),
        ("yes", "yes"),
        ("on", "on"),
        ("y", "y"),
        ("2026-10-01", "2026-10-01"),
        ("2026-10-01T12:00:00Z", "2026-10-01T12:00:00Z"),
        ("010", "010"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("1.10", "1.10"),
        ("1e3", "1e3"),
        (".nan", ".nan"),
        ("=", "="),
        ("7", 7),
        ("-7", -7),
        ("0", 0),
        ("true", True),
        ("False", False),
        ("~", None),
        ("", None),
        ("null", None),
        ("'7'", "7"),
        ("|\n  two\n  lines\n", "two\nlines\n"),
    ],
)
def test_a_plain_word_is_what_it_looks_like(written: str, value: Any) -> None:
    (document,) = load(f"a: {written}")
    assert document.value == {"a": value} and type(document.value["a"]) is type(value)


@pytest.mark.parametrize(
    "value", ["no", "Yes", "1e3", "010", "0x1F", "12:30", "1.5", "~", "", "2026-10-01", "true", "-"]
)
@pytest.mark.parametrize("as_name", [False, True])
def test_a_text_that_could_be_taken_for_another_thing_is_quoted(value: str, as_name: bool) -> None:
    tree = {value: "x"} if as_name else {"a": [value, "é: #\n x"]}
    text = dump(tree)
    assert load(text)[0].value == tree
    assert f"'{value}'" in text


@pytest.mark.parametrize(
    ("written", "line", "detail"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "a stands there twice"),
        ("a:\n  b: 1\n  b: 1\n", 3, "b stands there twice"),
        ("a:\n\tb: 1\n", 2, "found character '\\t'"),
        ("a: 1\nb: [1,\n", 3, "This is not YAML"),
        ("a: 1\n1: x\n", 2, "1 is no text, and so no name"),
        ("true: x\n", 1, "true is no text"),
        ("? [a]\n: x\n", 1, "A list is no text"),
        ("a: x\nb: *c\n", 2, "undefined alias"),
        ("a: &a [*a]\n", 1, "contains itself"),
        ("a: &a {b: *a}\n", 1, "contains itself"),
        ("a: !!python/object/apply:os.system ['true']\n", 1, "!!python/object/apply:os.system is not used"),
        ("a: !mine x\n", 1, "!mine is not used"),
        ("a: !!binary aGk=\n", 1, "!!binary is not used"),
        ("a: !!timestamp 2026-10-01\n", 1, "!!timestamp is not used"),
        ("a: !!set {x}\n", 1, "!!set is not used"),
        ("a: !!int x\n", 1, "A number cannot be read"),
        (f"a: {'9' * 5000}\n", 1, "A number cannot be read"),
        ("<<: 5\n", 1, "expected a mapping"),
        ("a: 1\nb: \x01\n", 2, "a character that no text has"),
        ("[" * 5000, None, "nested too deeply"),
        ("%YAML 3.0\n---\na: 1\n", 1, "This is not YAML"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(written: str, line: int | None, detail: str) -> None:
    with pytest.raises(NotYaml) as refused:
        load(written)
    assert refused.value.line == line
    assert detail in refused.value.detail


@pytest.mark.parametrize("bomb", ["[{}]", "{{<<: [{}]}}"])
def test_aliases_of_aliases_end(bomb: str) -> None:
    """A billion laughs in a few lines, as lists and as merged names."""
    lines = ["a: &a {x: 1, y: 2}" if "<<" in bomb else "a: &a [x, x, x, x, x, x, x, x, x]"]
    for above, name in zip("abcdefghi", "bcdefghij", strict=True):
        lines.append(
            f"{name}: &{name} {bomb.format(', '.join([f'*{above}'] * 9)).replace('{{', '{').replace('}}', '}')}"
        )
    with pytest.raises(NotYaml, match="more than 50000 values"):
        load("\n".join(lines))


def test_aliases_and_merged_names_are_followed() -> None:
    (document,) = load("base: &b {x: 1, y: 1}\nmore: {<<: *b, y: 2}\nsame: *b\n")
    assert document.value == {"base": {"x": 1, "y": 1}, "more": {"x": 1, "y": 2}, "same": {"x": 1, "y": 1}}


def test_several_documents_each_know_their_lines() -> None:
    first, second = load("# one\na:\n  b:\n  - c: 1\n---\n---\n\nd: 2\n...\n")
    assert (first.line, first.line_of("a.b[0].c"), first.line_of("a.b[0].missing"), first.line_of("z")) == (2, 4, 4, 2)
    assert (second.value, second.line) == ({"d": 2}, 8)


@pytest.mark.parametrize("text", ["", "---\n", "# only words\n", "---\n---\n", "~\n"])
def test_nothing_is_no_document(text: str) -> None:
    assert load(text) == []
