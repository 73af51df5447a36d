"""The fields of a customer's forms, as strict as the API's bodies."""

from collections.abc import Sequence
from typing import Any

from babel import Locale
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from orders.rest.fields import FORBIDDEN, FORBIDDEN_BUT_LINES, is_plain
from refunds.messages.language import LOCALES
from refunds.pages.presenters.offers import Offer
from refunds.states import MAX_BOXES


class TextField(forms.CharField):
    """Text without control characters, within the API's limits."""

    def __init__(self, *, lines: bool = False, **kwargs: Any) -> None:
        self.forbidden = FORBIDDEN_BUT_LINES if lines else FORBIDDEN
        super().__init__(**kwargs)

    def clean(self, value: Any) -> str:
        text = super().clean(value).replace("\r\n", "\n")
        if self.forbidden.search(text):
            raise ValidationError(_("This holds a character that no text has."), code="forbidden_character")
        return text


class IdentifierField(TextField):
    """What something is found by. What nobody sees in it, as comes with copying, is left out."""

    def to_python(self, value: Any) -> str:
        return "".join(char for char in super().to_python(value) or "" if is_plain(char)).strip()


def choice_field(label: Any, choices: Sequence[tuple[Any, Any]], *, initial: Any) -> forms.ChoiceField:
    """One of a few, all of them in sight."""
    return forms.ChoiceField(label=label, choices=choices, widget=forms.RadioSelect, required=False, initial=initial)


def units_field(offer: Offer, *, initial: int) -> forms.IntegerField:
    too_many = {"max_value": _("Only %(limit_value)s can still be refunded.")}
    widget = forms.NumberInput(attrs={"inputmode": "numeric"})
    return forms.IntegerField(
        label=offer.name,
        required=False,
        min_value=0,
        max_value=offer.left,
        initial=initial,
        widget=widget,
        error_messages=too_many,
    )


def address_fields(language: str) -> dict[str, forms.Field]:
    countries = Locale.parse(LOCALES[language]).territories
    named = sorted(((code, name) for code, name in countries.items() if len(code) == 2), key=lambda each: each[1])
    return {
        "name": TextField(label=_("Name"), required=False, max_length=200),
        "street": TextField(label=_("Street and number"), required=False, max_length=200),
        "postal_code": TextField(label=_("Postal code"), required=False, max_length=20),
        "city": TextField(label=_("City"), required=False, max_length=100),
        "country": forms.ChoiceField(label=_("Country"), choices=[("", "–"), *named], required=False),
    }


def boxes_field() -> forms.IntegerField:
    """One, where nothing is said."""
    return forms.IntegerField(
        label=_("In how many boxes?"),
        required=False,
        min_value=1,
        max_value=MAX_BOXES,
        initial=1,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
        error_messages={"max_value": _("A courier fetches at most %(limit_value)s boxes at once.")},
    )
