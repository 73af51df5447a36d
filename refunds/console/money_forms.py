"""What an agent says of money that moved without us."""

from collections import Counter

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget

from refunds.console import written
from refunds.console.forms import ActForm, short_text
from refunds.console.money_field import MoneyField
from refunds.selectors.allowed import is_missing, is_unanswered
from refunds.services.acts import External


class ExternalForm(ActForm):
    at = {"payment": "payment", "amount_minor": "amount", "reference": "reference"}
    reference = short_text(200, gettext_lazy("Proof: where the books find it"))

    def extend(self) -> None:
        missing = [m for m in self.refund.gateway_refunds.all() if is_missing(m) or is_unanswered(m)]
        open_minor = Counter[str]()
        for movement in missing:
            open_minor[str(movement.share.payment)] += movement.amount_minor
        self.fields["payment"] = forms.ChoiceField(
            choices=[(name, self._waiting(name, minor)) for name, minor in sorted(open_minor.items())],
            label=_("Payment, and what of it is not paid back"),
            widget=UnfoldAdminSelectWidget,
        )
        label = _("Amount in %(currency)s") % {"currency": self.refund.currency}
        self.fields["amount"] = MoneyField(self.refund.currency, label=label)
        self.order_fields(["payment", "amount", "reference"])

    def _waiting(self, payment: str, minor: int) -> str:
        return f"{payment} · {written.amount(minor, self.refund.currency)}"

    def paid(self) -> External:
        said = self.cleaned_data
        return External(said["amount"], said["reference"], payment=said["payment"])
