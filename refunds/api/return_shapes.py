"""How the way back is answered: parcels, approval and hold."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from orders.rest.shapes import Shape
from refunds.models import Pickup, Refund
from refunds.states import NotificationState, PickupState, Proof


class SlotShape(serializers.Serializer[Any]):
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()


class PickupShape(Shape[Pickup]):
    """A parcel on its way home. `number` is what the courier knows it by, `waybill` is his own name for it; `missed` is
    how often he found nobody. Of a `drop_off` nobody comes: the customer hands it in with the label at `label_url`.
    `carrier` is the courier's account, or whom the customer sent it with."""

    number = serializers.CharField()
    state = serializers.ChoiceField([state.value for state in PickupState])
    carrier = serializers.SerializerMethodField()
    waybill = serializers.CharField()
    drop_off = serializers.BooleanField()
    label_url = serializers.CharField()
    slot = serializers.SerializerMethodField()
    missed = serializers.IntegerField()

    def get_carrier(self, pickup: Pickup) -> str:
        return pickup.carrier or pickup.account

    @extend_schema_field(SlotShape(allow_null=True))
    def get_slot(self, pickup: Pickup) -> dict[str, Any] | None:
        return {"starts_at": pickup.slot_from, "ends_at": pickup.slot_to} if pickup.slot_from else None


class ApprovalShape(serializers.Serializer[Any]):
    by = serializers.CharField()
    at = serializers.DateTimeField()


class OfferShape(serializers.Serializer[Any]):
    """So much, in the refund's currency, and the customer keeps the goods; he was told the note."""

    amount_minor = serializers.IntegerField()
    by = serializers.CharField()
    note = serializers.CharField()


class ProofShape(serializers.Serializer[Any]):
    """Of the delivery, asked for until then; `note`: what was said of it."""

    state = serializers.ChoiceField([proof.value for proof in Proof if proof])
    until = serializers.DateTimeField()
    note = serializers.CharField()


def proof_shown(refund: Refund) -> dict[str, Any] | None:
    told = {"state": refund.proof, "until": refund.proof_until, "note": refund.proof_note}
    return told if refund.proof else None


class HoldShape(serializers.Serializer[Any]):
    """The clock stands still; what was left of the deadline at `from` is left at the end."""

    until = serializers.DateTimeField()

    def get_fields(self) -> dict[str, serializers.Field]:
        return {"from": serializers.DateTimeField()} | super().get_fields()


class MessageShape(Shape[Any]):
    """A message to the customer, without the recipient."""

    channel = serializers.ChoiceField(["email", "sms"])
    template = serializers.CharField()
    state = serializers.ChoiceField([state.value for state in NotificationState])
    sent_at = serializers.DateTimeField(source="sent_to_provider_at", allow_null=True)
