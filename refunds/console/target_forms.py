"""What an agent says of where the money goes instead."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from refunds.console.forms import ActForm, no_control_characters, short_text
from refunds.destinations import Instrument
from refunds.selectors.credit_accounts import credit_account
from refunds.selectors.payout_accounts import payout_accounts
from refunds.services.acts import Elsewhere


def _text(most: int, label: Any) -> forms.CharField:
    widget = UnfoldAdminTextInputWidget()
    return forms.CharField(
        max_length=most, label=label, required=False, widget=widget, validators=[no_control_characters]
    )


class SetTargetForm(ActForm):
    """Payee and proof are for another account alone."""

    at = {name: name for name in ("payee", "payee_name", "proof")} | {"account": "to"}
    payee = _text(100, gettext_lazy("What that account knows the payee by"))
    payee_name = _text(200, gettext_lazy("Name of the payee"))
    proof = _text(200, gettext_lazy("Proof of the customer's consent: where it can be found"))

    def extend(self) -> None:
        choices = [(Instrument.STORE_CREDIT.value, _("Store credit"))] if credit_account() else []
        choices += [(f"account:{name}", _("Account %(name)s") % {"name": name}) for name in payout_accounts()]
        choices.append((Instrument.ORIGINAL.value, _("Back to how it was paid")))
        self.fields["to"] = forms.ChoiceField(
            choices=choices,
            label=_("Where the money goes"),
            help_text=_("To another account the customer confirms it with a code, and a second person approves."),
            widget=UnfoldAdminSelectWidget,
        )
        self.order_fields(["to", "payee", "payee_name", "proof"])

    def elsewhere(self) -> Elsewhere:
        said = dict(self.cleaned_data)
        kind, _colon, account = said.pop("to").partition(":")
        return Elsewhere(Instrument(kind), account, **said) if account else Elsewhere(Instrument(kind))


class CodeForm(ActForm):
    at = {"code": "code"}
    code = short_text(20, gettext_lazy("The code, as the customer tells it"))
