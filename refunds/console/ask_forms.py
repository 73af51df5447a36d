"""What an agent asks of an order's money without units: each kind its form, which makes the wish."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from orders.models import OrderLine
from orders.roles import Actor
from orders.selectors.orders import OrderPage
from orders.services.lines import LineId
from refunds.actions import Action
from refunds.console.forms import LongText
from refunds.console.money_field import MoneyField
from refunds.services.requests import AdjustmentWish, RefundWish
from refunds.states import Goods, Initiator


class AskForm(forms.Form):
    """`what` the wish is about beside the order; an error of the service belongs at `field_at` its path."""

    note = LongText(label=gettext_lazy("Note, told to the customer"), required=False)

    def __init__(self, found: OrderPage, *, prefix: str, data: Any = None) -> None:
        super().__init__(data, auto_id=f"{prefix}-%s", use_required_attribute=False)
        self.order, self.found = found.order, found
        self.extend()
        self.order_fields([name for name in self.fields if name != "note"])

    def extend(self) -> None:
        """Fields that depend on the order."""

    def what(self) -> dict[str, Any]:
        return {}

    def field_at(self, path: str) -> str | None:
        return None

    def wish(self, actor: Actor) -> RefundWish:
        return RefundWish(
            channel_id=self.order.channel_id,
            order_number=self.order.number,
            actor=actor,
            lines=(),
            goods=Goods.KEEP,
            note=self.cleaned_data["note"],
            initiator=Initiator.MERCHANT,
            **self.what(),
        )

    def kept(self) -> list[tuple[str, str]]:
        """What was typed, for the confirmation."""
        return [(name, str(self[name].value())) for name in self.fields if self[name].value()]


class AdjustForm(AskForm):
    """So much off the price of each line."""

    def extend(self) -> None:
        self.lines = {f"off-{line.pk}": line for line in _shown(self.found)}
        for name, line in self.lines.items():
            what = {"item": f"{line.name} · {line.sku}", "currency": self.order.currency}
            label = _("Off the price of %(item)s, in %(currency)s") % what
            self.fields[name] = MoneyField(self.order.currency, required=False, label=label)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not any(cleaned.get(name) for name in self.lines):
            raise ValidationError(_("Type an amount for at least one item."))
        return cleaned

    def _chosen(self) -> list[str]:
        return [name for name in self.lines if self.cleaned_data.get(name)]

    def what(self) -> dict[str, Any]:
        wishes = [
            AdjustmentWish(LineId(self.lines[name].line_id), self.cleaned_data[name], f"adjustments[{n}]")
            for n, name in enumerate(self._chosen())
        ]
        return {"adjustments": tuple(wishes)}

    def field_at(self, path: str) -> str | None:
        names = {f"adjustments[{n}]": name for n, name in enumerate(self._chosen())}
        return names.get(path.partition(".")[0])


class ShippingForm(AskForm):
    def what(self) -> dict[str, Any]:
        return {"shipping": True}


class AmountForm(AskForm):
    def extend(self) -> None:
        label = _("Amount in %(currency)s") % {"currency": self.order.currency}
        self.fields["amount"] = MoneyField(self.order.currency, label=label)

    def what(self) -> dict[str, Any]:
        return {"amount_minor": self.cleaned_data["amount"]}

    def field_at(self, path: str) -> str | None:
        return "amount" if path == "amount_minor" else None


class OverpaidForm(AskForm):
    def what(self) -> dict[str, Any]:
        return {"overpaid": True}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of request; `action` is what its asker must be permitted."""

    name: str
    title: Any
    action: Action
    form: type[AskForm]


KINDS = (
    Kind("adjust", gettext_lazy("Lower a price"), Action.ADJUST, AdjustForm),
    Kind("shipping", gettext_lazy("Pay the shipping back"), Action.ADJUST, ShippingForm),
    Kind("amount", gettext_lazy("Pay an amount back"), Action.REQUEST_AMOUNT, AmountForm),
    Kind("overpaid", gettext_lazy("Pay back what was paid too much"), Action.REQUEST, OverpaidForm),
)
KIND_OF = {kind.name: kind for kind in KINDS}


def _shown(found: OrderPage) -> Iterator[OrderLine]:
    return (line for line in sorted(found.lines, key=lambda line: line.position) if line.quantity)
