"""How a preview is answered."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from refunds.api.shapes import SheetShape
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
    amount_minor = serializers.IntegerField()

    @extend_schema_field(SheetShape)
    def get_sheet(self, part: Any) -> Any:
        return part.sheet.to_json()


class PreviewPaymentShape(serializers.Serializer[Any]):
    account = serializers.CharField()
    reference = serializers.CharField()
    amount_minor = serializers.IntegerField()


class PreviewShape(serializers.Serializer[Any]):
    """What a request would do now; nothing is stored or reserved."""

    currency = serializers.CharField()
    total_minor = serializers.IntegerField()
    refunds = PreviewPartShape(many=True, source="sheets")
    payments = serializers.SerializerMethodField()

    @extend_schema_field(PreviewPaymentShape(many=True))
    def get_payments(self, preview: Any) -> list[dict[str, Any]]:
        return [
            {"account": account, "reference": reference, "amount_minor": amount}
            for account, reference, amount in preview.payments
        ]
