"""What an agent says of money that moved without us."""

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget

from refunds.console.forms import ActForm, short_text
from refunds.console.money_field import MoneyField
from refunds.selectors.allowed import is_missing, is_unanswered
from refunds.services.acts import External


class ExternalForm(ActForm):
    at = {"payment": "payment", "amount_minor": "amount", "reference": "reference"}
    reference = short_text(200, gettext_lazy("Proof: where the books find it"))

    def extend(self) -> None:
        missing = [m for m in self.refund.gateway_refunds.all() if is_missing(m) or is_unanswered(m)]
        payments = sorted({str(m.share.payment) for m in missing})
        self.fields["payment"] = forms.ChoiceField(
            choices=[(name, name) for name in payments], label=_("Payment"), widget=UnfoldAdminSelectWidget
        )
        label = _("Amount in %(currency)s") % {"currency": self.refund.currency}
        self.fields["amount"] = MoneyField(self.refund.currency, label=label)
        self.order_fields(["payment", "amount", "reference"])

    def paid(self) -> External:
        said = self.cleaned_data
        return External(said["amount"], said["reference"], payment=said["payment"])
