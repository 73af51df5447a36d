"""Amounts as agents type them: the one field of all forms."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from unfold.widgets import UnfoldAdminTextInputWidget

from refunds.amounts import read_minor
from refunds.console import written


class MoneyField(forms.CharField):
    """An amount above zero of one currency; the value is in minor units, None when left empty."""

    def __init__(self, currency: str, **kwargs: Any) -> None:
        widget = UnfoldAdminTextInputWidget({"inputmode": "decimal", "autocomplete": "off"})
        super().__init__(max_length=40, widget=widget, **kwargs)
        self.currency = currency

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return None
        readings = read_minor(text, self.currency, written.locale())
        if len(readings) > 1:
            amounts = [written.amount(minor, self.currency) for minor in readings]
            told = {"less": amounts[0], "more": amounts[-1]}
            raise ValidationError(_("It can be read in two ways. Write %(less)s, or %(more)s.") % told)
        if not any(readings):
            example = written.amount(1250, self.currency)
            raise ValidationError(_("Type an amount above zero, such as %(example)s.") % {"example": example})
        return readings[0]
