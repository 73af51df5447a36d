"""How a preview is answered."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from refunds.api.sheet_shapes import SheetShape
from refunds.services.requests import Part
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
    """What one payment gives back. `target` is the account it goes to instead, empty when it goes back; `waits_until`:
    the gateway takes the next refund of it from then on; `refundable_until`: afterwards it takes none any more."""

    account = serializers.CharField()
    reference = serializers.CharField()
    amount_minor = serializers.IntegerField()
    target = serializers.CharField()
    refundable_until = serializers.DateTimeField(source="until", allow_null=True)
    waits_until = serializers.DateTimeField(allow_null=True)


#: `excluded` and `window_over`: by the policy.
WHY_NOT = ["in_refund", "refunded", "refunded_in_part", "excluded", "window_over"]


class LeftOutShape(serializers.Serializer[Any]):
    """So many units of a line that the request does not get, where all was asked for."""

    id = serializers.CharField(source="line_id")
    quantity = serializers.IntegerField()
    why_not = serializers.ChoiceField(WHY_NOT, source="code")


class PreviewShape(serializers.Serializer[Any]):
    """What a request would do now; nothing is stored or reserved."""

    currency = serializers.CharField()
    total_minor = serializers.IntegerField()
    refunds = PreviewPartShape(many=True, source="parts")
    payments = PreviewPaymentShape(many=True)
    left_out = LeftOutShape(many=True)
