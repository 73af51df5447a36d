"""What the acts take from an agent. Forms read and check shapes only; whether an act may be done is the services' word.

Each form knows its refund, what to tell the service (`said`), and at which field an error of the service belongs.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from orders.models import Principal
from orders.rest.fields import FORBIDDEN_BUT_LINES
from refunds.console.words import GOODS, INCIDENTS
from refunds.incidents import DOUBTS
from refunds.messages.zones import zone_of
from refunds.models import Refund
from refunds.services.acts import Parcel
from refunds.states import Goods

REASON_LENGTH = 2000


class ActForm(forms.Form):
    """Nothing to be said."""

    #: JSON path of an error, as the API names it, to the field of this form that shows it.
    at: dict[str, str] = {}

    def __init__(
        self, refund: Refund, colleagues: list[Principal], *, prefix: str, data: Any = None, files: Any = None
    ) -> None:
        super().__init__(data, files, auto_id=f"{prefix}-%s", use_required_attribute=False)
        self.refund = refund
        self.colleagues = colleagues
        self.extend()

    def extend(self) -> None:
        """Fields that depend on the refund."""

    def field_at(self, path: str) -> str | None:
        return self.at.get(path)

    def typed(self) -> Iterator[tuple[str, str]]:
        """What was typed, by label: shown where the form itself cannot be shown any more."""
        for bound in self.visible_fields():
            if value := bound.value():
                yield str(bound.label), str(value)


no_control_characters = RegexValidator(
    FORBIDDEN_BUT_LINES, gettext_lazy("It holds a character that no text has."), inverse_match=True
)


class LongText(forms.CharField):
    """Text with line breaks, as the API takes it; browsers send two characters for one break."""

    def __init__(self, **kwargs: Any) -> None:
        widget = UnfoldAdminTextareaWidget({"rows": 3})
        super().__init__(max_length=REASON_LENGTH, widget=widget, validators=[no_control_characters], **kwargs)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


def short_text(most: int, label: Any) -> forms.CharField:
    widget = UnfoldAdminTextInputWidget()
    return forms.CharField(max_length=most, label=label, widget=widget, validators=[no_control_characters])


class ReasonForm(ActForm):
    at = {"reason": "reason"}
    reason = LongText(label=gettext_lazy("Reason, told to the customer"))


class NoteForm(ActForm):
    at = {"note": "note"}
    note = LongText(label=gettext_lazy("Why it is closed as it stands"))


class ShipBackForm(ActForm):
    at = {"carrier": "carrier", "tracking_number": "tracking_number"}
    carrier = short_text(60, gettext_lazy("Carrier"))
    tracking_number = short_text(100, gettext_lazy("Tracking number"))

    def extend(self) -> None:
        """Only beside a parcel that was told of before one can be a further one."""
        if any(not pickup.account for pickup in self.refund.pickups.all()):
            about = _("Otherwise it corrects the number that was told before.")
            self.fields["further"] = forms.BooleanField(
                required=False, label=_("One more box"), help_text=about, widget=UnfoldBooleanSwitchWidget
            )

    def parcel(self) -> Parcel:
        return Parcel(**self.cleaned_data)


class Moment(forms.Field):
    """A time on the wall clock of `zone`, as the browser's own picker sends it, and in no other way."""

    default_error_messages = {"invalid": forms.DateTimeField.default_error_messages["invalid"]}
    formats = ("%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")

    def __init__(self, zone: tzinfo, **kwargs: Any) -> None:
        super().__init__(widget=UnfoldAdminTextInputWidget({"type": "datetime-local"}), **kwargs)
        self.zone = zone

    def to_python(self, value: Any) -> datetime | None:
        text = (value or "").strip()
        if not text:
            return None
        for form in self.formats:
            with suppress(ValueError):
                return datetime.strptime(text, form).replace(tzinfo=self.zone)
        raise ValidationError(self.error_messages["invalid"], code="invalid")


class HoldForm(ActForm):
    at = {"until": "until"}

    until = Moment(
        UTC,
        label=gettext_lazy("Until (UTC)"),
        help_text=gettext_lazy("Left empty: as long as the policy allows."),
        required=False,
    )


class RebookForm(ActForm):
    """A time that is typed, or a `slot` of those that the courier names: both its times, with a slash between."""

    at = {"slot": "starts_at"}

    def __init__(self, *args: Any, data: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, data=_with_times(data) if data and "slot" in data else data, **kwargs)

    def extend(self) -> None:
        zone = customers_zone(self.refund)
        about = _("By the customer's clock (%(zone)s).") % {"zone": zone}
        there = reverse("console:slots", args=[self.refund.number])
        named = format_html('<a class="rf-link" href="{}">{}</a>', there, _("See when the courier can come"))
        self.fields["starts_at"] = Moment(zone, label=_("Starts at"), help_text=format_html("{} {}", about, named))
        self.fields["ends_at"] = Moment(zone, label=_("Ends at"), help_text=about)


def _with_times(data: Mapping[str, Any]) -> dict[str, Any]:
    starts_at, _to, ends_at = data["slot"].partition("/")
    return {**{name: data[name] for name in data}, "starts_at": starts_at, "ends_at": ends_at}


class StopForm(ActForm):
    at = {"stopped": "stopped"}
    stopped = forms.ChoiceField(
        choices=[("yes", gettext_lazy("They stay here")), ("no", gettext_lazy("They have left"))],
        label=gettext_lazy("The units that were not shipped"),
        widget=UnfoldAdminSelectWidget,
    )


class DoubtForm(ActForm):
    at = {"what": "what", "note": "note"}
    what = forms.ChoiceField(
        choices=[(kind, INCIDENTS[kind]) for kind in sorted(DOUBTS)],
        label=gettext_lazy("What is not as announced"),
        widget=UnfoldAdminSelectWidget,
    )
    note = LongText(label=gettext_lazy("What is to be seen"))


class AssignForm(ActForm):
    at = {"to": "to"}

    def extend(self) -> None:
        choices = [("", _("Nobody"))] + [(str(person.pk), person.name) for person in self.colleagues]
        self.fields["to"] = forms.ChoiceField(
            choices=choices,
            required=False,
            label=_("Whose case it is"),
            initial=str(self.refund.assignee_id or ""),
            widget=UnfoldAdminSelectWidget,
        )

    def to(self) -> int | None:
        chosen = self.cleaned_data["to"]
        return int(chosen) if chosen else None


def long_texts(data: Mapping[str, str]) -> list[tuple[str, str]]:
    """What takes long to type, by label, of whichever form was sent."""
    fields = {name: field for form in (NoteForm, ReasonForm, ShipBackForm) for name, field in form.base_fields.items()}
    return [(str(field.label), data[name]) for name, field in fields.items() if data.get(name)]


def goods_choice() -> forms.ChoiceField:
    choices = [("", gettext_lazy("As the customer asked")), (Goods.KEEP.value, GOODS[Goods.KEEP])]
    return forms.ChoiceField(
        choices=choices, required=False, label=gettext_lazy("Goods"), widget=UnfoldAdminSelectWidget
    )


def count_field(label: str, *, most: int, initial: int) -> forms.IntegerField:
    field = forms.IntegerField(
        min_value=0, max_value=most, initial=initial, label=label, widget=UnfoldAdminIntegerFieldWidget
    )
    field.widget.attrs["inputmode"] = "numeric"
    return field


def customers_zone(refund: Refund) -> tzinfo:
    address = refund.pickup_address or refund.order.shipping_address
    return zone_of(address.get("country", ""))
