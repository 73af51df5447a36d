"""The refund sheet as it is answered."""

from typing import Any

from rest_framework import serializers

from refunds.money import EntryKind


class SheetEntryShape(serializers.Serializer[dict[str, Any]]):
    """One explained step from list price to amount; the entries add up to the refund's amount."""

    kind = serializers.ChoiceField([kind.value for kind in EntryKind])
    label = serializers.CharField()  # type: ignore[assignment]
    amount_minor = serializers.IntegerField()
    line_id = serializers.CharField()
    quantity = serializers.IntegerField()


class TaxedShape(serializers.Serializer[dict[str, Any]]):
    """A gross amount, and the tax within it."""

    amount_minor = serializers.IntegerField()
    tax_minor = serializers.IntegerField()


class AskedShape(serializers.Serializer[dict[str, Any]]):
    """What it was drawn up for, beside units."""

    adjustments = serializers.DictField(child=serializers.IntegerField(), help_text="By line id, minor units.")
    amount_minor = serializers.IntegerField(allow_null=True)
    shipping = serializers.BooleanField(allow_null=True)
    overpaid = serializers.BooleanField()


class SheetShape(serializers.Serializer[dict[str, Any]]):
    """How the amount came about: `entries` add up to `total_minor`, which contains `tax_minor`.

    `lines`, `adjustments` and shipping are gross, before what the shop keeps. `deposit_minor` is the share of a deposit
    that is settled with it, kept or not; `clawed_back_minor` and `gifts_minor` are taken off (negative: given back);
    `fees_minor` too. `funded` goes back to the payers of discounts, `points` are to be taken back from the customer;
    `taxes` has the total by tax rate as stated; `voided_minor` of it was settled by the end of a hold. Sheets drawn up
    by older versions have the first five fields only.
    """

    entries = SheetEntryShape(many=True)
    shipping_minor = serializers.IntegerField()
    shipping_tax_minor = serializers.IntegerField()
    total_minor = serializers.IntegerField()
    tax_minor = serializers.IntegerField()
    lines = serializers.DictField(child=TaxedShape(), required=False)
    adjustments = serializers.DictField(child=TaxedShape(), required=False)
    deposit_minor = serializers.IntegerField(required=False)
    clawed_back_minor = serializers.IntegerField(required=False)
    gifts_minor = serializers.IntegerField(required=False)
    withheld_tax_minor = serializers.IntegerField(required=False)
    overpaid_minor = serializers.IntegerField(required=False)
    fees_minor = serializers.IntegerField(required=False)
    points = serializers.IntegerField(required=False)
    voided_minor = serializers.IntegerField(required=False)
    funded = serializers.DictField(child=serializers.IntegerField(), required=False)
    taxes = serializers.DictField(child=TaxedShape(), required=False)
    asked = AskedShape(required=False)
