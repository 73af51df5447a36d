"""Forms with a row per line of the refund: how much is approved, and what the inspection found."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.forms import BooleanField, BoundField, ChoiceField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldBooleanSwitchWidget

from orders.models import OrderLine
from orders.services.lines import LineId
from refunds.console.forms import ActForm, count_field, goods_choice
from refunds.models import Refund
from refunds.services.acts import Approval, Disposed, Inspected
from refunds.services.requests import LineWish
from refunds.states import FOR_ACCEPTED, Disposition, Goods

FINDINGS = {
    "accepted": gettext_lazy("Accepted"),
    "damaged": gettext_lazy("Damaged"),
    "wrong_item": gettext_lazy("Wrong item"),
    "missing": gettext_lazy("Missing"),
}
DISPOSITIONS = {
    Disposition.RESTOCK: gettext_lazy("Back to stock"),
    Disposition.REFURBISH: gettext_lazy("To be repaired"),
    Disposition.WRITE_OFF: gettext_lazy("Written off"),
    Disposition.SEND_BACK: gettext_lazy("Sent back to the customer"),
}
_LINE = re.compile(r"lines(?:\[(\d+)\])?")


@dataclass(frozen=True, slots=True)
class LineOf:
    """A line of the refund, wherever its units are; `units` are still to be paid, `counted` were found already."""

    line: OrderLine
    units: int
    counted: int


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a form, with its fields."""

    name: str
    sku: str
    units: int
    fields: list[BoundField]


def lines_of(refund: Refund) -> list[LineOf]:
    """The lines with units left, in the order of the order. Expects `lines` with `order_line` to be loaded."""
    units: dict[int, int] = {}
    counted: dict[int, int] = {}
    lines: dict[int, OrderLine] = {}
    for row in refund.lines.all():
        lines[row.order_line_id] = row.order_line
        units[row.order_line_id] = units.get(row.order_line_id, 0) + row.quantity
        found = sum(getattr(row, column) for column in FINDINGS)
        counted[row.order_line_id] = counted.get(row.order_line_id, 0) + found
    ordered = sorted(lines.values(), key=lambda line: line.position)
    return [LineOf(line, units[line.pk], counted[line.pk]) for line in ordered if units[line.pk]]


class LinesForm(ActForm):
    """`columns`: a field per line and column, named `column-n`; an error at `lines[n]` belongs to its first."""

    columns: Mapping[str, Any] = {}

    def extend(self) -> None:
        self.lines = lines_of(self.refund)
        for n, of in enumerate(self.lines):
            for place, (column, label) in enumerate(self.columns.items()):
                field = count_field(f"{of.line.name}: {label}", most=of.units, initial=0 if place else of.units)
                self.fields[f"{column}-{n}"] = field

    def rows(self) -> Iterator[Row]:
        for n, of in enumerate(self.lines):
            fields = [self[f"{column}-{n}"] for column in self.columns]
            yield Row(of.line.name, of.line.sku, of.units, fields)

    def others(self) -> list[BoundField]:
        """The fields that are not about one line."""
        own = {f"{column}-{n}" for n in range(len(self.lines)) for column in self.columns}
        return [field for field in self.visible_fields() if field.name not in own]

    def field_at(self, path: str) -> str | None:
        line = _LINE.match(path)
        name = f"{next(iter(self.columns))}-{line[1] or 0}" if line else path
        return name if name in self.fields else None

    def counts(self, n: int) -> dict[str, Any]:
        return {column: self.cleaned_data[f"{column}-{n}"] for column in self.columns}


class ApproveForm(LinesForm):
    columns = {"quantity": gettext_lazy("Units to approve")}
    goods = goods_choice()

    def approval(self) -> Approval:
        """Every unit of every line is "all of it"."""
        goods = self.cleaned_data["goods"]
        wanted = [self.counts(n)["quantity"] for n in range(len(self.lines))]
        whole = wanted == [of.units for of in self.lines]
        wishes = [
            LineWish(LineId(of.line.line_id), quantity, f"lines[{n}]")
            for n, (of, quantity) in enumerate(zip(self.lines, wanted, strict=True))
        ]
        return Approval(lines=None if whole else wishes, goods=Goods(goods) if goods else None)


class InspectForm(LinesForm):
    """With `more` to come, a box is noted and nothing decided; what earlier boxes held counts."""

    columns = FINDINGS

    def extend(self) -> None:
        super().extend()
        for n, of in enumerate(self.lines):
            self.fields[f"accepted-{n}"].initial = of.units - of.counted
            self.fields[f"disposition-{n}"] = ChoiceField(
                choices=[(disposition, DISPOSITIONS[disposition]) for disposition in FOR_ACCEPTED],
                required=False,
                label=_("%(name)s: what becomes of the accepted ones") % {"name": of.line.name},
                widget=UnfoldAdminSelectWidget,
            )
        self.fields["more"] = BooleanField(
            required=False, label=_("More boxes are to come"), widget=UnfoldBooleanSwitchWidget
        )

    def clean(self) -> None:
        for n, of in enumerate(self.lines):
            if any(f"{column}-{n}" not in self.cleaned_data for column in self.columns):
                continue
            found = of.counted + sum(self.counts(n).values())
            if found > of.units or (found < of.units and not self.cleaned_data.get("more")):
                facts = {"announced": of.units, "found": found}
                text = _("%(announced)s were announced, %(found)s are accounted for.") % facts
                self.add_error(f"accepted-{n}", text)

    def findings(self) -> list[Inspected]:
        return [
            Inspected(
                LineId(of.line.line_id),
                path=f"lines[{n}]",
                disposition=Disposition(self.cleaned_data[f"disposition-{n}"] or Disposition.RESTOCK),
                **self.counts(n),
            )
            for n, of in enumerate(self.lines)
        ]


class DisposeForm(ActForm):
    """Per line with refused units: how many, and what becomes of them."""

    def extend(self) -> None:
        refused = [(row.order_line, row.damaged + row.wrong_item) for row in self.refund.lines.all()]
        self.lines = [(line, most) for line, most in refused if most]
        for n, (line, most) in enumerate(self.lines):
            label = _("%(name)s: refused units") % {"name": line.name}
            self.fields[f"quantity-{n}"] = count_field(label, most=most, initial=most)
            self.fields[f"disposition-{n}"] = ChoiceField(
                choices=list(DISPOSITIONS.items()),
                label=_("%(name)s: what becomes of them") % {"name": line.name},
                widget=UnfoldAdminSelectWidget,
            )

    def field_at(self, path: str) -> str | None:
        line = _LINE.match(path)
        name = f"quantity-{line[1] or 0}" if line else path
        return name if name in self.fields else None

    def disposed(self) -> list[Disposed]:
        """Of lines with no unit nothing is said."""
        said = [
            (self.cleaned_data[f"quantity-{n}"], self.cleaned_data[f"disposition-{n}"]) for n in range(len(self.lines))
        ]
        return [
            Disposed(LineId(line.line_id), quantity, Disposition(disposition), f"lines[{n}]")
            for n, ((line, _most), (quantity, disposition)) in enumerate(zip(self.lines, said, strict=True))
            if quantity
        ]
