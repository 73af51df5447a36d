"""What an agent says to the customer: an offer, a question, a message; and why a refusal is looked at again."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget

from refunds.console.forms import ActForm, LongText
from refunds.console.money_field import MoneyField
from refunds.console.words import REMEDIES
from refunds.services.acts import Offer
from refunds.states import Remedy


class OfferForm(ActForm):
    at = {"amount_minor": "amount", "note": "note"}
    note = LongText(label=gettext_lazy("Why, told to the customer"))

    def extend(self) -> None:
        label = _("Amount in %(currency)s") % {"currency": self.refund.currency}
        hint = _("The customer keeps the goods.")
        self.fields["amount"] = MoneyField(self.refund.currency, label=label, help_text=hint)
        self.order_fields(["amount", "note"])

    def offered(self) -> Offer:
        return Offer(self.cleaned_data["amount"], self.cleaned_data["note"])


class ReplaceForm(ActForm):
    at = {"remedy": "remedy"}

    def extend(self) -> None:
        """What is not so yet comes first."""
        other = Remedy.REPLACEMENT if self.refund.remedy == Remedy.MONEY else Remedy.MONEY
        self.fields["remedy"] = forms.ChoiceField(
            choices=[(remedy.value, REMEDIES[remedy]) for remedy in Remedy],
            label=_("What the customer gets"),
            initial=other.value,
            help_text=_("The shop has to state an order that replaces the goods; without one the money is paid."),
            widget=UnfoldAdminSelectWidget,
        )


class BypassForm(ActForm):
    at = {"reason": "reason"}
    reason = LongText(label=gettext_lazy("Why it is let pass without a second person"))


class AskForm(ActForm):
    at = {"text": "text"}
    text = LongText(label=gettext_lazy("Question, told to the customer"))


class WriteForm(ActForm):
    at = {"text": "text"}
    text = LongText(label=gettext_lazy("Message, told to the customer"))


class ContestForm(ActForm):
    at = {"note": "note"}
    note = LongText(label=gettext_lazy("Why the customer does not agree"))


class ReopenForm(ActForm):
    at = {"note": "note"}
    note = LongText(label=gettext_lazy("Why it is looked at again"))


class ProofForm(ActForm):
    at = {"delivered": "delivered", "note": "note"}
    delivered = forms.ChoiceField(
        choices=[("yes", gettext_lazy("It was delivered")), ("no", gettext_lazy("There is no proof"))],
        label=gettext_lazy("What the carrier says"),
        widget=UnfoldAdminSelectWidget,
    )
    note = LongText(label=gettext_lazy("To whom and when, or where the proof is"), required=False)

    def said(self) -> dict[str, Any]:
        return {"delivered": self.cleaned_data["delivered"] == "yes", "note": self.cleaned_data["note"]}
