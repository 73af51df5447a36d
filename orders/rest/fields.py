"""Strict fields: a value is what it says or is refused with its path; nothing is guessed, trimmed or rounded.

They are REST framework fields, so that the served schema and the check are one declaration. A `Body` is read by
one shared instance (`BODY.run_validation(data)`), since building one for each request would cost more than the check.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from orders.currencies import MONEY

#: Far beyond any price, and small enough that a thousand of them still add up within a bigint.
MAX_MINOR = 10**15
MAX_BIGINT = 2**63 - 1
MAX_QUANTITY = 1_000_000
RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
FORBIDDEN = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
#: Categories of characters that nobody sees: controls, format characters such as direction marks, odd line ends.
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
FORBIDDEN_BUT_LINES = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Body(serializers.Serializer):
    """A JSON object that refuses names it does not know: a misspelt one is an error, not a default."""

    default_error_messages = {"invalid": "must be an object"}

    def to_internal_value(self, data: Any) -> Any:
        errors: dict[Any, Any] = {}
        value = None
        try:
            value = super().to_internal_value(data)
        except ValidationError as error:
            errors = dict(error.detail)  # type: ignore[arg-type]
        if isinstance(data, Mapping):
            unknown = data.keys() - self.fields.keys()
            errors |= {name: [ErrorDetail("is not a field here", "unknown_field")] for name in sorted(unknown)}
        if errors:
            raise ValidationError(errors)
        return value


def list_of(body: type[Body], **limits: Any) -> serializers.Field:
    """A list of such objects; `limits`: max_length, allow_empty, required."""
    return body(many=True, **limits)


class StrictInteger(serializers.IntegerField):
    """A JSON integer: not 1.0, 1e3, "1" or true."""

    default_error_messages = {"not_integer": "must be a whole number"}

    def __init__(self, *, min_value: int = 0, max_value: int = MAX_BIGINT, **kwargs: Any) -> None:
        super().__init__(min_value=min_value, max_value=max_value, **kwargs)

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            self.fail("not_integer")
        return data


class Amount(StrictInteger):
    """Money in minor units."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_value=MAX_MINOR, **kwargs)


class Quantity(StrictInteger):
    """Units of a line: at least one."""

    default_error_messages = {"not_integer": "quantity is a whole number: sell 0.735 kg as one unit"}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=MAX_QUANTITY, **kwargs)


class StrictBoolean(serializers.BooleanField):
    """true or false, and no word for them."""

    default_error_messages = {"not_boolean": "must be true or false"}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("not_boolean")
        return data


class Text(serializers.CharField):
    """A JSON string, kept as it came. Control characters and lone surrogates are refused; `lines` allows breaks."""

    default_error_messages = {
        "not_text": "must be a string",
        "forbidden_character": "holds a character that no text has",
    }

    def __init__(self, *, max_length: int = 200, lines: bool = False, **kwargs: Any) -> None:
        self.forbidden = FORBIDDEN_BUT_LINES if lines else FORBIDDEN
        super().__init__(max_length=max_length, trim_whitespace=False, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("not_text")
        if self.forbidden.search(data):
            self.fail("forbidden_character")
        return data


def is_plain(text: str) -> bool:
    """All of it can be seen."""
    return text.isprintable() or all(unicodedata.category(char) not in UNSEEN for char in text)


class Identifier(Text):
    """What something is found by. Two that look alike would not be the same if characters that nobody sees could be
    in them."""

    default_error_messages = {"forbidden_character": "holds a character that nobody sees"}

    def to_internal_value(self, data: Any) -> str:
        value = super().to_internal_value(data)
        if not is_plain(value):
            self.fail("forbidden_character")
        return value


class Patterned(Identifier):
    """Text of one shape; `shape` says it in words."""

    default_error_messages = {"malformed": "must be {shape}"}

    def __init__(self, *, pattern: str, shape: str, **kwargs: Any) -> None:
        self.pattern, self.shape = re.compile(pattern, re.ASCII), shape
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        value = super().to_internal_value(data)
        if not self.pattern.fullmatch(value):
            self.fail("malformed", shape=self.shape)
        return value


class Choice(Text):
    """One of a few words."""

    default_error_messages = {"unknown_value": "must be one of {choices}"}

    def __init__(self, *, choices: Iterable[str], **kwargs: Any) -> None:
        self.words = tuple(choices)
        super().__init__(max_length=max(map(len, self.words)), **kwargs)

    def to_internal_value(self, data: Any) -> str:
        value = super().to_internal_value(data)
        if value not in self.words:
            self.fail("unknown_value", choices=", ".join(self.words))
        return value


class Currency(Text):
    """An ISO 4217 code in capitals, of what people pay with."""

    default_error_messages = {"unknown_currency": "is no ISO 4217 code of legal tender, such as EUR"}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=3, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        value = super().to_internal_value(data)
        if value not in MONEY:
            self.fail("unknown_currency")
        return value


class Timestamp(serializers.DateTimeField):
    """RFC 3339 with an offset; the value is in UTC."""

    default_error_messages = {"not_a_time": "must be a time such as 2026-05-01T12:00:00Z"}

    def to_internal_value(self, data: Any) -> datetime:
        if not isinstance(data, str) or not RFC3339.fullmatch(data):
            self.fail("not_a_time")
        try:
            value = datetime.fromisoformat(data.upper()).astimezone(UTC)
        except (ValueError, OverflowError):
            self.fail("not_a_time")
        if value.year < 1970:
            self.fail("not_a_time")
        return value


class JsonObject(serializers.DictField):
    """The shop's own object of texts, whole numbers, truth values, and lists or objects of them, four deep."""

    child = serializers.JSONField()
    default_error_messages = {
        "not_an_object": "must be an object",
        "forbidden_value": "may hold texts of up to 1000 characters, whole numbers, true, false and null",
        "too_deep": "is nested too deeply",
        "too_many": "has more than 100 entries",
    }

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail("not_an_object")
        self._check(data, depth=4)
        return data

    def _check(self, value: Any, *, depth: int) -> None:
        if isinstance(value, dict | list):
            self._check_all(value, depth=depth)
        elif isinstance(value, str):
            if len(value) > 1000 or FORBIDDEN_BUT_LINES.search(value):
                self.fail("forbidden_value")
        elif isinstance(value, float) or (isinstance(value, int) and abs(value) > MAX_BIGINT):
            self.fail("forbidden_value")

    def _check_all(self, value: dict[str, Any] | list[Any], *, depth: int) -> None:
        if not depth:
            self.fail("too_deep")
        if len(value) > 100:
            self.fail("too_many")
        for one in [*value, *value.values()] if isinstance(value, dict) else value:
            self._check(one, depth=depth - 1)
