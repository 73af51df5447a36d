"""Fields of a policy's form: what stands in the spec at a path, as it is typed. Left empty, the built-in rule holds."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from orders.currencies import MONEY, exponent
from refunds.amounts import read_minor
from refunds.console import written
from refunds.declared.policy_rules import MOST_DAYS
from refunds.declared.reading import Place, seconds

_LINE = re.compile(r"([A-Z]{3})\s+(\S.*)", re.ASCII)


class SpecField(forms.Field):
    """`path` says where in the spec it stands."""

    def __init__(self, path: str, **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)
        self.path = path

    def shown(self, value: Any) -> str:
        """As it is typed."""
        return "" if value is None else str(value)


class Whole(SpecField):
    def __init__(self, path: str, *, most: int = MOST_DAYS, **kwargs: Any) -> None:
        super().__init__(
            path, widget=UnfoldAdminTextInputWidget({"inputmode": "numeric", "autocomplete": "off"}), **kwargs
        )
        self.most = most

    def to_python(self, value: Any) -> int | None:
        text = (value or "").strip()
        if not text:
            return None
        if not re.fullmatch("[0-9]{1,9}", text, re.ASCII) or int(text) > self.most:
            raise ValidationError(_("A whole number, at most %(most)s.") % {"most": self.most})
        return int(text)


class Span(SpecField):
    def __init__(self, path: str, **kwargs: Any) -> None:
        super().__init__(path, widget=UnfoldAdminTextInputWidget({"autocomplete": "off"}), **kwargs)

    def to_python(self, value: Any) -> str | None:
        text, place = (value or "").strip(), Place(self.path)
        if not text:
            return None
        seconds(text, place)
        if place.found:
            raise ValidationError(_("A number and its unit: s, m, h, d or w, such as 48h or 7d."))
        return text


class Choice(SpecField):
    """`words`: (value in the spec, its text); the first choice is to say nothing, and have the built-in rule."""

    def __init__(self, path: str, words: list[tuple[Any, Any]], *, built_in: Any, **kwargs: Any) -> None:
        self.values = {_key(value): value for value, _text in words}
        texts = [(_key(value), text) for value, text in words]
        usual = next(text for value, text in words if value == built_in)
        unsaid = format_lazy("{} ({})", gettext_lazy("As built in"), usual)
        super().__init__(path, widget=UnfoldAdminSelectWidget(choices=[("", unsaid), *texts]), **kwargs)

    def shown(self, value: Any) -> str:
        return "" if value is None else _key(value)

    def to_python(self, value: Any) -> Any:
        if value in (None, ""):
            return None
        if value not in self.values:
            raise ValidationError(_("This cannot be chosen here."))
        return self.values[value]


class Amounts(SpecField):
    """Amounts by currency, a line for each."""

    def __init__(self, path: str, **kwargs: Any) -> None:
        super().__init__(path, widget=UnfoldAdminTextareaWidget({"rows": 2, "autocomplete": "off"}), **kwargs)

    def shown(self, value: Any) -> str:
        by_currency = value if isinstance(value, Mapping) else {}
        return "\n".join(f"{currency} {_plain(minor, currency)}" for currency, minor in by_currency.items())

    def to_python(self, value: Any) -> dict[str, int] | None:
        lines = [line.strip() for line in (value or "").splitlines() if line.strip()]
        found: dict[str, int] = {}
        for currency, minor in map(_amount, lines):
            if currency in found:
                raise ValidationError(f"{currency}: {_('This is there already.')}")
            found[currency] = minor
        return found or None


def _amount(line: str) -> tuple[str, int]:
    found = _LINE.fullmatch(line)
    if not found or found[1] not in MONEY:
        raise ValidationError(_("A line for each currency, such as EUR 500.00."))
    currency = found[1]
    readings = read_minor(found[2], currency, written.locale())
    if len(readings) != 1:
        example = f"{currency} {_plain(125000, currency)}"
        raise ValidationError(_("This amount cannot be read: write it such as %(example)s.") % {"example": example})
    return currency, readings[0]


def _plain(minor: Any, currency: str) -> str:
    is_amount = isinstance(minor, int) and currency in MONEY
    return f"{Decimal(minor).scaleb(-exponent(currency)):f}" if is_amount else str(minor)


def _key(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
