"""What an agent says of money that moved without us."""

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from orders.currencies import exponent
from refunds.console.forms import ActForm, short_text
from refunds.selectors.allowed import is_missing, is_unanswered
from refunds.services.acts import External


class ExternalForm(ActForm):
    """The amount is typed as a person writes it, with a point before the minor units."""

    at = {"payment": "payment", "amount_minor": "amount", "reference": "reference"}
    reference = short_text(200, gettext_lazy("Proof: where the books find it"))

    def extend(self) -> None:
        missing = [m for m in self.refund.gateway_refunds.all() if is_missing(m) or is_unanswered(m)]
        payments = sorted({str(m.share.payment) for m in missing})
        self.fields["payment"] = forms.ChoiceField(
            choices=[(name, name) for name in payments], label=_("Payment"), widget=UnfoldAdminSelectWidget
        )
        self.fields["amount"] = forms.DecimalField(
            min_value=0,
            max_digits=18,
            decimal_places=exponent(self.refund.currency),
            label=_("Amount in %(currency)s") % {"currency": self.refund.currency},
            widget=UnfoldAdminTextInputWidget({"inputmode": "decimal"}),
        )
        self.order_fields(["payment", "amount", "reference"])

    def paid(self) -> External:
        said = self.cleaned_data
        amount_minor = int(said["amount"].scaleb(exponent(self.refund.currency)))
        return External(amount_minor, said["reference"], payment=said["payment"])
