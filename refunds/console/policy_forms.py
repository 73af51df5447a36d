"""The commonest rules of a policy as a form over its spec; whatever else the spec says stays as it is."""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from refunds.console import policy_words
from refunds.console.forms import no_control_characters
from refunds.console.policy_fields import Amounts, Choice, Span, SpecField, Whole
from refunds.console.words import WAYS_BACK
from refunds.declared import structure
from refunds.declared.approval import is_record
from refunds.declared.reading import Violation

_PER_LINE = _("A line for each currency, such as EUR 500.00. Left empty: none.")
_BACK = [(way.value, text) for way, text in WAYS_BACK.items()]
_PAID_ON = [
    ("inspection", _("once the goods were looked at")),
    ("receipt", _("once they are in the warehouse")),
    ("collection", _("with the courier's first scan")),
]
_PAID_TO = [("original", _("back to the payment")), ("store_credit", _("as store credit"))]
_APPROVED_BY = [(False, _("a person")), (True, _("nobody: approved by itself"))]


class PolicyForm(forms.Form):
    window = Whole("window.days", label=_("Days to give goods back"), help_text=_("Left empty: for ever."))
    faults = Whole(
        "window.faultDays",
        label=_("Days where it is not the customer's fault"),
        help_text=_("Left empty: as many as above."),
    )
    instant = Amounts(
        "limits.instantMinor", label=_("Before shipping: a person looks at more than"), help_text=_PER_LINE
    )
    second = Amounts("approval.aboveMinor", label=_("A second person agrees to more than"), help_text=_PER_LINE)
    restocking = Whole(
        "fees.restocking.perMille",
        most=1000,
        label=_("Restocking fee, in thousandths of the price"),
        help_text=_("Not where it is the shop's or the carrier's fault."),
    )
    shipping = Amounts("fees.returnShipping.fixedMinor", label=_("Fee for the way back"), help_text=_PER_LINE)
    approve = Choice("returns.approve", _APPROVED_BY, built_in=False, label=_("Who approves returns"))
    way_back = Choice("returns.wayBack", _BACK, built_in="pickup", label=_("How goods come back"))
    pay_on = Choice("returns.payOn", _PAID_ON, built_in="inspection", label=_("When it is paid"))
    refund_to = Choice("money.refundTo", _PAID_TO, built_in="original", label=_("Where the money goes"))
    review = Span("clocks.review", label=_("Time to review"), help_text=_("Such as 48h. Left empty: 48h."))
    handing_over = Span(
        "clocks.return", label=_("Time to hand goods over"), help_text=_("Such as 7d. Left empty: 14d.")
    )

    def __init__(self, spec: Mapping[str, Any], data: Any = None) -> None:
        shown = {name: field.shown(_at(spec, field.path)) for name, field in _fields(self.base_fields)}
        super().__init__(data, initial=shown, auto_id="policy-%s", use_required_attribute=False)
        self.loaded = spec

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> "PolicyForm":
        """As the spec stands, with what is wrong with it at its fields."""
        form = cls(spec)
        found = violations(spec)
        if not found:
            return form
        form = cls(spec, data=form.initial)
        form.is_valid()
        form.tell((v.path, v.code, v.detail) for v in found)
        return form

    def spec(self) -> dict[str, Any]:
        """The spec with what was typed; what was not changed stays to the letter."""
        spec = deepcopy(dict(self.loaded))
        for name, field in _fields(self.fields):
            if self.cleaned_data[name] != _read(field, _at(spec, field.path)):
                _put(spec, field.path.split("."), self.cleaned_data[name])
        return spec

    def tell(self, wrong: Iterable[tuple[str, str, str]]) -> None:
        """(path below the spec, code, detail) of what is wrong, each at its field if there is one."""
        by_path = {field.path: name for name, field in _fields(self.fields)}
        for path, code, detail in wrong:
            name = next((by_path[at] for at in by_path if path == at or path.startswith(f"{at}.")), None)
            text = policy_words.wrong(path, code, detail)
            if name is None:
                self.add_error(None, f"{path}: {text}" if policy_words.is_of_the_policy(code) else text)
            elif text not in self.errors.get(name, ()):
                self.add_error(name, text)


class ApprovalForm(forms.Form):
    """The word of a second person."""

    said = forms.CharField(
        max_length=500,
        label=_("Address of the record of your approval"),
        help_text=_("Such as https://tickets.example/REF-1: where it can be read why you agree."),
        widget=UnfoldAdminTextInputWidget({"autocomplete": "off"}),
        validators=[no_control_characters],
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, auto_id="approve-%s", use_required_attribute=False)

    def clean_said(self) -> str:
        said = str(self.cleaned_data["said"]).strip()
        if not is_record(said):
            raise forms.ValidationError(_("An address, such as https://tickets.example/REF-1."))
        return said


def violations(spec: Mapping[str, Any]) -> list[Violation]:
    """What cannot be read of the spec, or else what cannot be right."""
    declared, found = structure.read(spec)
    return found if declared is None else structure.violations(declared)


def label_of(path: str) -> str:
    """Of the field at this path of the spec, or of the first below it; the path where there is none."""
    fields = (field for _name, field in _fields(PolicyForm.base_fields))
    return next((str(f.label) for f in fields if f.path == path or f.path.startswith(f"{path}.")), path)


def _fields(fields: Mapping[str, forms.Field]) -> Iterator[tuple[str, SpecField]]:
    return ((name, field) for name, field in fields.items() if isinstance(field, SpecField))


def _at(spec: Any, path: str) -> Any:
    for step in path.split("."):
        spec = spec.get(step) if isinstance(spec, Mapping) else None
    return spec


def _read(field: SpecField, value: Any) -> Any:
    """As the form reads what stands in the spec; what it cannot read is like nothing that is typed."""
    try:
        return field.clean(field.shown(value))
    except forms.ValidationError:
        return value


def _put(spec: dict[str, Any], steps: list[str], value: Any) -> None:
    """Write it there; None takes it away, and the group with its last field."""
    first, *rest = steps
    if rest:
        below = spec[first] if isinstance(spec.get(first), dict) else {}
        _put(below, rest, value)
        spec[first] = below
        if not below:
            del spec[first]
    elif value is None:
        spec.pop(first, None)
    else:
        spec[first] = value
