"""How a preview is answered."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from refunds.api.shapes import SheetShape
from refunds.services.parts import Part
from refunds.services.requests import Preview
from refunds.states import Place, Route


class PreviewLineShape(serializers.Serializer[Any]):
    id = serializers.CharField(source="line_id")
    quantity = serializers.IntegerField()
    place = serializers.ChoiceField([place.value for place in Place])


class PreviewPartShape(serializers.Serializer[Any]):
    """What would become one refund."""

    route = serializers.ChoiceField([route.value for route in Route])
    lines = PreviewLineShape(many=True, source="units")
    sheet = serializers.SerializerMethodField()
    amount_minor = serializers.IntegerField(source="sheet.total_minor")

    @extend_schema_field(SheetShape)
    def get_sheet(self, part: Part) -> dict[str, Any]:
        return part.sheet.to_json()


class PreviewPaymentShape(serializers.Serializer[Any]):
    """What one payment gives back."""

    account = serializers.CharField()
    reference = serializers.CharField()
    amount_minor = serializers.IntegerField()


class PreviewShape(serializers.Serializer[Any]):
    """What a request would do now; nothing is stored or reserved."""

    currency = serializers.CharField()
    total_minor = serializers.IntegerField()
    refunds = PreviewPartShape(many=True, source="parts")
    payments = serializers.SerializerMethodField()

    @extend_schema_field(PreviewPaymentShape(many=True))
    def get_payments(self, preview: Preview) -> list[dict[str, Any]]:
        return [
            {"account": account, "reference": reference, "amount_minor": amount}
            for account, reference, amount in preview.payments
        ]
