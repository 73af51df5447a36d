"""Reading a tree of what somebody has written, rule by rule: each value found at its path, everything else refused.

A `Rule` names a path, the attribute it becomes and how its value is read. Nothing is guessed: a field that no rule
names, a value of another type, a list with a bad item are all told at once, each with its path.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

#: So many characters of a text, so many items of a list: what is longer is a mistake.
LONGEST_TEXT = 500
LONGEST_LIST = 1000
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
#: What a policy or a channel can be called.
NAME = re.compile(r"(?=.{1,60}$)[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_DURATION = re.compile(r"([0-9]{1,9})([smhdw])", re.ASCII)
_CURRENCY = re.compile(r"[A-Z]{3}", re.ASCII)
_LARGEST_MINOR = 10**15


@dataclass(frozen=True, slots=True)
class Violation:
    """`path` as `clocks.review` or `reasons[2].code`; `code` for machines, `detail` for people."""

    path: str
    code: str
    detail: str


@dataclass(slots=True)
class Place:
    """Where in the tree something is read; what is wrong there is told to `found`."""

    path: str
    found: list[Violation] = field(default_factory=list)

    def at(self, step: str | int) -> "Place":
        below = f"[{step}]" if isinstance(step, int) else f".{step}" if self.path else step
        return Place(self.path + below, self.found)

    def refuse(self, code: str, detail: str) -> None:
        self.found.append(Violation(self.path, code, detail))


#: Takes the value and its place; what it returns counts only where it has refused nothing at that very place.
Reader = Callable[[Any, Place], Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """One field: where it is written, what it becomes, how it is read."""

    path: str
    name: str
    read: Reader


def read_rules(value: Any, rules: Sequence[Rule], place: Place) -> dict[str, Any]:
    """What the rules find, by their names; a field that is not written is left out."""
    return {rule.name: rule.read(found, at) for rule, found, at in _walk(value, rules, place, "")}


def read_good(value: Any, rules: Sequence[Rule], place: Place) -> dict[str, Any]:
    """What the rules find where something can be read; of a list or a group of which some cannot, the rest."""
    good = {}
    for rule, found, at in _walk(value, rules, place, ""):
        before = len(place.found)
        read = rule.read(found, at)
        if all(violation.path != at.path for violation in place.found[before:]):
            good[rule.name] = read
    return good


def _walk(value: Any, rules: Sequence[Rule], place: Place, above: str) -> Iterator[tuple[Rule, Any, Place]]:
    if not isinstance(value, Mapping):
        place.refuse("wrong_type", "This is a group of fields.")
        return
    by_path = {rule.path: rule for rule in rules}
    for name, below in value.items():
        at, path = place.at(_shown(name)), f"{above}{name}"
        if path in by_path:
            yield by_path[path], below, at
        elif any(rule.path.startswith(f"{path}.") for rule in rules):
            yield from _walk(below, rules, at, f"{path}.")
        else:
            at.refuse("unknown_field", _unknown(above, rules))


def _unknown(above: str, rules: Sequence[Rule]) -> str:
    known = sorted({rule.path.removeprefix(above).split(".")[0] for rule in rules if rule.path.startswith(above)})
    return f"There is no such field. Known here: {', '.join(known)}."


def _shown(name: Any) -> str:
    return str(name)[:100].encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def text_of(most: int, *, may_be_empty: bool = False) -> Reader:
    """A text of at most so many characters, without control characters; one that says nothing is left out instead."""

    def read(value: Any, place: Place) -> str:
        if not isinstance(value, str):
            place.refuse("wrong_type", f"This is a text, not {_kind(value)}: quote it.")
            return ""
        if not may_be_empty and not value.strip():
            place.refuse("empty", "There is nothing in it.")
        elif len(value) > most:
            place.refuse("too_long", f"At most {most} characters.")
        elif not is_text(value):
            place.refuse("forbidden_character", "Control characters cannot be part of a text.")
        return value

    return read


text = text_of(LONGEST_TEXT)
any_text = text_of(LONGEST_TEXT, may_be_empty=True)


def is_text(value: str) -> bool:
    """Short enough, and without what no text has."""
    return len(value) <= LONGEST_TEXT and not any(ord(c) < 32 or 0xD800 <= ord(c) < 0xE000 for c in value)


def object_name(value: Any, place: Place) -> str:
    """What a policy or a channel can be called, whether it is there or not."""
    if not isinstance(value, str):
        place.refuse("wrong_type", f"This is a text, not {_kind(value)}: quote it.")
    elif not NAME.fullmatch(value):
        place.refuse("bad_name", "At most 60 small letters and digits, with single hyphens between them.")
    return str(value)


def flag(value: Any, place: Place) -> bool:
    if not isinstance(value, bool):
        place.refuse("wrong_type", f"This is true or false, not {_kind(value)}.")
    return bool(value)


def whole(least: int, most: int) -> Reader:
    """A whole number between two others."""

    def read(value: Any, place: Place) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            place.refuse("wrong_type", f"This is a whole number, not {_kind(value)}.")
            return least
        if not least <= value <= most:
            place.refuse("out_of_range", f"Between {least} and {most}.")
        return value

    return read


def one_of(words: Sequence[str]) -> Reader:
    def read(value: Any, place: Place) -> str:
        if value not in words or not isinstance(value, str):
            place.refuse("unknown_value", f"One of {', '.join(words)}.")
        return str(value)

    return read


def seconds(value: Any, place: Place) -> int:
    """A length of time as `48h`, `7d` or `90s`."""
    written = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if written is None:
        place.refuse("bad_duration", "A number and its unit: s, m, h, d or w, as 48h or 7d.")
        return 0
    return int(written[1]) * SECONDS[written[2]]


def amounts(value: Any, place: Place) -> dict[str, int]:
    """Minor units by currency: `{EUR: 50000}`."""
    found = {}
    for currency, minor in _items(value, place):
        at = place.at(_shown(currency))
        if not isinstance(currency, str) or not _CURRENCY.fullmatch(currency):
            at.refuse("bad_currency", "A currency is three capital letters, as EUR.")
        else:
            found[currency] = whole(0, _LARGEST_MINOR)(minor, at)
    return found


def _by_name(read_text: Reader) -> Reader:
    def read(value: Any, place: Place) -> dict[str, str]:
        found = {}
        for key, below in _items(value, place):
            at = place.at(_shown(key))
            if not isinstance(key, str) or not key or not is_text(key):
                at.refuse("bad_name", f"A name is a text of 1 to {LONGEST_TEXT} characters: quote it.")
            else:
                found[key] = read_text(below, at)
        return found

    return read


#: Words for people, by language or by what they are.
words_by_name = _by_name(text)
#: Labels: an empty one is a value like any other.
labels = _by_name(any_text)


def day(value: Any, place: Place) -> date:
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        place.refuse("bad_date", "A day as 2026-10-01.")
        return date.min


def list_of(read: Reader) -> Reader:
    def read_list(value: Any, place: Place) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            place.refuse("wrong_type", "This is a list.")
            return ()
        if len(value) > LONGEST_LIST:
            place.refuse("too_long", f"At most {LONGEST_LIST} items.")
            return ()
        return tuple(read(item, place.at(n)) for n, item in enumerate(value))

    return read_list


def some_of(read: Reader) -> Reader:
    """A list that is not empty: where it narrows something, none would look like all."""
    read_list = list_of(read)

    def read_some(value: Any, place: Place) -> tuple[Any, ...]:
        if value == []:
            place.refuse("empty", "Name at least one, or leave it out.")
        found: tuple[Any, ...] = read_list(value, place)
        return found

    return read_some


def group(rules: Sequence[Rule], needed: Mapping[str, Any], make: Callable[..., Any]) -> Reader:
    """Several fields as one value. `needed`: what has to be there, each with what stands in for it where it cannot be
    read, so that the others can be judged."""

    def read(value: Any, place: Place) -> Any:
        found = read_good(value, rules, place)
        for path in sorted(needed):
            if isinstance(value, Mapping) and path not in value:
                place.at(path).refuse("required", "This has to be said.")
        return make(**{**needed, **found})

    return read


def _items(value: Any, place: Place) -> Iterator[tuple[Any, Any]]:
    if not isinstance(value, Mapping):
        place.refuse("wrong_type", "This is a list of names with their values.")
        return
    yield from value.items()


def _kind(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list"}
    return "nothing" if value is None else names.get(type(value), "a group of fields")
