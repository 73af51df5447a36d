"""What a customer fills in: checked as strictly as the API's bodies, kept when wrong, and turned into a wish."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from orders.errors import Problem
from refunds.messages.facts import Visit
from refunds.pages.evidence_form import PhotosField
from refunds.pages.form_fields import IdentifierField, TextField, address_fields, boxes_field, choice_field, units_field
from refunds.pages.presenters.offers import Offer, has_left, is_delivered
from refunds.pages.presenters.troubles import field_text, none_left
from refunds.pages.presenters.words import Words
from refunds.pages.reasons import choices
from refunds.returnable import Reason
from refunds.states import Goods, RefundTo, Remedy, WayBack
from workers.ports import Slot

ADDRESS = ("name", "street", "postal_code", "city", "country")
GOODS = (
    (Goods.RETURN, _("I send it back, or do not accept it")),
    (Goods.NOT_RECEIVED, _("I have not received it")),
    (Goods.KEEP, _("I would like to keep it")),
    (Goods.ALREADY_SENT, _("I have sent it back already")),
)
TO = (
    (RefundTo.ORIGINAL, _("Back to how I paid")),
    (RefundTo.STORE_CREDIT, _("As store credit, to be spent in this shop")),
)
WAYS = (
    (WayBack.PICKUP, _("A courier fetches it at my door")),
    (WayBack.DROP_OFF, _("I hand it in myself, with a label you send me")),
)
INSTEAD = (
    (Remedy.MONEY, _("My money back")),
    (Remedy.REPLACEMENT, _("Another one of the same; my money, if you cannot send me one")),
)
_HOURS = ((9, 13), (13, 17), (17, 21))


class RefundForm(forms.Form):
    """Step one. Each line with units left has a field `units-<pk>`; the address is asked for where a courier comes."""

    reason = forms.ChoiceField(required=False)
    goods = choice_field(_("What about the goods?"), GOODS, initial=Goods.RETURN)
    note = TextField(
        label=_("Anything we should know?"),
        lines=True,
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(
        self, offers: Sequence[Offer], *, home: Mapping[str, Any], language: str, data: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(data, initial={name: home.get(name, "") for name in ADDRESS})
        self.offers = {f"units-{offer.pk}": offer for offer in offers if offer.left}
        self.offer_reasons(())
        self.gone = {f"units-{offer.pk}": offer.name for offer in offers if not offer.left}
        self.home = home
        only = len(offers) == 1
        for name, offer in self.offers.items():
            self.fields[name] = units_field(offer, initial=(offer.freely or offer.left) if only else 0)
        if not has_left(offers):
            del self.fields["goods"]
        if is_delivered(offers):
            self.fields |= address_fields(language)

    def offer_reasons(self, reasons: Sequence[Reason]) -> None:
        """Let the customer say one of the policy's own reasons, where it has some; only what helps, where all that can
        be asked for needs one."""
        offered, found = self.offers.values(), choices(reasons)
        if offered and all(offer.needs_reason for offer in offered):
            helping = frozenset().union(*(offer.reasons for offer in offered))
            found = [("", str(_("Please choose"))), *(each for each in found if each[0] in helping)]
        self.fields["reason"] = forms.ChoiceField(label=_("Why?"), choices=found, required=False)

    def offer_credit(self) -> None:
        """Let the customer choose where the money goes."""
        self.fields["to"] = choice_field(_("Where should the money go?"), TO, initial=RefundTo.ORIGINAL)

    def offer_replacement(self) -> None:
        """Let the customer have another one of what he was sent."""
        if "goods" in self.fields:
            self.fields["remedy"] = choice_field(_("What would you like?"), INSTEAD, initial=Remedy.MONEY)

    def offer_ways_back(self, usual: str) -> None:
        """Let the customer choose how what he has comes back; `usual`: how it does where nobody says anything."""
        if "street" in self.fields:
            self.fields["way_back"] = choice_field(_("How does it come back to us?"), WAYS, initial=usual)
            self.fields["boxes"] = boxes_field()

    @property
    def ways_back(self) -> forms.BoundField | None:
        return self["way_back"] if "way_back" in self.fields else None

    def way_back(self) -> WayBack | None:
        """None: as the policy has it."""
        return WayBack(self.cleaned_data["way_back"]) if self.cleaned_data.get("way_back") else None

    def boxes(self) -> int:
        return self.cleaned_data.get("boxes") or 1

    @property
    def instead(self) -> forms.BoundField | None:
        return self["remedy"] if "remedy" in self.fields else None

    def remedy(self) -> Remedy:
        return Remedy(self.cleaned_data.get("remedy") or Remedy.MONEY)

    @property
    def target(self) -> forms.BoundField | None:
        return self["to"] if "to" in self.fields else None

    def refund_to(self) -> RefundTo | None:
        """None: as the policy has it."""
        return RefundTo(self.cleaned_data["to"]) if self.cleaned_data.get("to") else None

    @property
    def units(self) -> list[tuple[Offer, forms.BoundField]]:
        return [(offer, self[name]) for name, offer in self.offers.items()]

    @property
    def address(self) -> list[forms.BoundField]:
        return [self[name] for name in ADDRESS if name in self.fields]

    @property
    def fetching(self) -> list[forms.BoundField]:
        """What a courier has to know."""
        return [*self.address, *([self["boxes"]] if "boxes" in self.fields else [])]

    @property
    def has_wrong_address(self) -> bool:
        return any(field.errors for field in self.fetching)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name, what in self.gone.items():
            if self.data.get(name, "").strip(" 0"):
                raise ValidationError(
                    _("%(name)s: %(why)s") % {"name": what, "why": none_left()}, code="units_not_left"
                )
        if not self.errors and not self.chosen():
            raise ValidationError(_("Choose at least one item."), code="nothing_chosen")
        return cleaned

    def chosen(self) -> list[tuple[int, int]]:
        """(line pk, quantity) of what is wanted."""
        units = [(offer.pk, self.cleaned_data.get(name) or 0) for name, offer in self.offers.items()]
        return [(pk, quantity) for pk, quantity in units if quantity]

    def goods_wanted(self) -> Goods:
        return Goods(self.cleaned_data.get("goods") or Goods.RETURN)

    def pickup_address(self) -> dict[str, Any] | None:
        """None: the shipping address."""
        given = {name: self.cleaned_data[name] for name in ADDRESS if self.cleaned_data.get(name)}
        is_other = any(str(self.home.get(name, "")) != text for name, text in given.items())
        return {**self.home, **given} if given and is_other else None

    def blame(self, problem: Problem) -> bool:
        """Put a problem at the fields it is about; False when it is about none of them."""
        names = [f"units-{pk}" for pk, _quantity in self.chosen()]
        found = False
        for error in problem.errors:
            index = error.field.removeprefix("lines[").partition("]")[0]
            if index.isdigit() and int(index) < len(names):
                self.add_error(names[int(index)], field_text(error.code, problem))
                found = True
        return found


class ShipBackForm(forms.Form):
    """The parcel a customer posted himself."""

    carrier = IdentifierField(label=_("Carrier"), max_length=60)
    tracking_number = IdentifierField(label=_("Tracking number"), max_length=100)


class RebookForm(forms.Form):
    """Another time for the courier, by the customer's own clock."""

    day = forms.DateField(label=_("Day"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"))
    hours = forms.TypedChoiceField(
        label=_("Time"),
        coerce=int,
        choices=[(n, f"{begin:02}:00 – {end:02}:00") for n, (begin, end) in enumerate(_HOURS)],
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, today: date) -> None:
        super().__init__(data, initial={"day": today + timedelta(days=1), "hours": 0})
        self.fields["day"].widget.attrs |= {"min": f"{today:%Y-%m-%d}", "max": f"{today + timedelta(days=89):%Y-%m-%d}"}

    def slot_of(self, zone: tzinfo) -> tuple[datetime, datetime]:
        """From when to when, in the zone."""
        begin, end = _HOURS[self.cleaned_data["hours"]]
        day = self.cleaned_data["day"]
        return datetime.combine(day, time(begin), zone), datetime.combine(day, time(end), zone)


class WriteForm(forms.Form):
    """A message to customer service, or the answer to its question."""

    text = TextField(label=_("Your message"), lines=True, max_length=2000, widget=forms.Textarea(attrs={"rows": 4}))


class ContestForm(forms.Form):
    """Why the customer does not agree."""

    note = TextField(
        label=_("Why do you not agree?"), lines=True, max_length=2000, widget=forms.Textarea(attrs={"rows": 4})
    )
    photos = PhotosField(label=_("Photos, if they help"), required=False)


class CodeForm(forms.Form):
    """The code that was sent to him."""

    code = IdentifierField(
        label=_("Your code"),
        max_length=20,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "one-time-code"}),
    )


class SlotForm(forms.Form):
    """One of the times that the courier has offered. He is asked again when it is booked, so it may be gone by then."""

    slot = forms.CharField(max_length=80)

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, offered: Sequence[Slot] = (), words: Words | None = None
    ) -> None:
        named = [(_named(slot), words.visit(Visit(slot.starts_at, slot.ends_at))) for slot in offered] if words else []
        super().__init__(data, initial={"slot": named[0][0] if named else ""})
        self.fields["slot"].widget = forms.RadioSelect(choices=named)

    def clean_slot(self) -> Slot:
        begin, _to, end = self.cleaned_data["slot"].partition("/")
        try:
            return Slot(datetime.fromisoformat(begin), datetime.fromisoformat(end))
        except ValueError as odd:
            raise ValidationError(_("Choose one of the times."), code="invalid") from odd

    def slot_of(self, zone: tzinfo) -> tuple[datetime, datetime]:
        """From when to when; its times have their own offset."""
        slot: Slot = self.cleaned_data["slot"]
        return slot.starts_at, slot.ends_at


def _named(slot: Slot) -> str:
    return f"{slot.starts_at.isoformat()}/{slot.ends_at.isoformat()}"


class LookUpForm(forms.Form):
    """What a customer knows of his order. Neither field says which of the two was wrong."""

    number = IdentifierField(label=_("Order number"), max_length=64)
    email = IdentifierField(
        label=_("E-mail address you ordered with"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class NewLinkForm(forms.Form):
    """Carried by the page of a dead link, and by a look-up that found nothing."""

    number = IdentifierField(required=False, max_length=64)
    token = TextField(required=False, max_length=2000)
