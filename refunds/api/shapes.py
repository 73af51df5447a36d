"""What the refund doors answer: each shape is both the JSON and its OpenAPI description, so they cannot drift apart."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from orders.rest.shapes import Shape
from orders.roles import Actor
from refunds.api.return_shapes import (
    ApprovalShape,
    HoldShape,
    MessageShape,
    OfferShape,
    PickupShape,
    ProofShape,
    proof_shown,
)
from refunds.api.sheet_shapes import SheetShape
from refunds.api.target_shapes import ReceiptShape, TargetChangeShape, target_change
from refunds.destinations import masked
from refunds.models import GatewayRefund, Refund, RefundLine
from refunds.numbers import request_number
from refunds.parcels import counting
from refunds.selectors.allowed import allowed_actions
from refunds.selectors.conditions import conditions
from refunds.states import (
    Goods,
    Initiator,
    MovementKind,
    MovementState,
    Place,
    RefundState,
    Rejection,
    Remedy,
    Route,
    WayBack,
)
from workers.ports import receipt_from


class MetadataShape(Shape[Refund]):
    """`request` is shared by refunds asked for together. `resource_version` is the ETag: it moves with what can be
    seen here, `generation` only with what is wanted."""

    number = serializers.CharField()
    request = serializers.SerializerMethodField()
    generation = serializers.IntegerField()
    resource_version = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    def get_request(self, refund: Refund) -> str:
        return request_number(refund.number, refund.request_id)


class LineShape(Shape[RefundLine]):
    """Units of one line in one place, as far as carriers have said; `amount_minor` contains `tax_minor`. `quantity` is
    what is to be paid: approval and inspection lower it from the `announced`. The rest is what the inspection found,
    told of a line's first place.
    """

    id = serializers.CharField(source="order_line.line_id")
    sku = serializers.CharField(source="order_line.sku")
    quantity = serializers.IntegerField()
    announced = serializers.IntegerField()
    accepted = serializers.IntegerField()
    damaged = serializers.IntegerField()
    wrong_item = serializers.IntegerField()
    missing = serializers.IntegerField()
    place = serializers.SerializerMethodField()
    amount_minor = serializers.IntegerField()
    tax_minor = serializers.IntegerField()

    @extend_schema_field(serializers.ChoiceField([place.value for place in Place]))
    def get_place(self, line: RefundLine) -> str:
        return line.place


class AdjustedShape(Shape[RefundLine]):
    """What comes off the price of a line, without units; `amount_minor` contains `tax_minor`."""

    id = serializers.CharField(source="order_line.line_id")
    sku = serializers.CharField(source="order_line.sku")
    amount_minor = serializers.IntegerField()
    tax_minor = serializers.IntegerField()


_LINE, _ADJUSTED = LineShape(), AdjustedShape()


class SpecShape(Shape[Refund]):
    """What is wanted. Amounts are in minor units of `currency` (ISO 4217). `initiator`: on whose wish."""

    order = serializers.CharField(source="order.number")
    channel = serializers.CharField(source="order.channel.slug")
    lines = serializers.SerializerMethodField()
    adjustments = serializers.SerializerMethodField()
    reason = serializers.CharField(source="reason_code")
    goods = serializers.ChoiceField([goods.value for goods in Goods])
    boxes = serializers.IntegerField()
    way_back = serializers.ChoiceField([way.value for way in WayBack])
    remedy = serializers.ChoiceField([remedy.value for remedy in Remedy])
    note = serializers.CharField()
    amount_minor = serializers.IntegerField()
    currency = serializers.CharField()
    requested_by = serializers.CharField()
    initiator = serializers.ChoiceField([initiator.value for initiator in Initiator])

    @extend_schema_field(LineShape(many=True))
    def get_lines(self, refund: Refund) -> Any:
        return [_LINE.to_representation(row) for row in refund.lines.all() if not row.is_adjustment]

    @extend_schema_field(AdjustedShape(many=True))
    def get_adjustments(self, refund: Refund) -> Any:
        return [_ADJUSTED.to_representation(row) for row in refund.lines.all() if row.is_adjustment]


class ConditionShape(serializers.Serializer[dict[str, Any]]):
    """An observation for people and dashboards. Branch on `status` only, never on `reason` or `message`."""

    type = serializers.CharField()
    status = serializers.ChoiceField(["True", "False", "Unknown"])
    reason = serializers.CharField()
    message = serializers.CharField()
    last_transition_time = serializers.DateTimeField()
    observed_generation = serializers.IntegerField()


_RECEIPT = ReceiptShape()


class GatewayRefundShape(Shape[Any]):
    """A `refund` of money; a `void`: a hold is released, nothing moves; a `dispute`: the customer's bank has paid; an
    `exchange`: it pays for the order that replaces the goods. `number` is what the gateway knows it by; `call`: whether
    we wait for an answer (`sent`) or ask before sending again (`unknown`); `replaced_by`: the number under which a
    reversed one is paid again; `target`: where it goes instead of back to its payment, and `payee` the end of what that
    account knows the payee by; `receipt` is for the books."""

    number = serializers.CharField()
    kind = serializers.ChoiceField([kind.value for kind in MovementKind])
    state = serializers.ChoiceField([state.value for state in MovementState])
    account = serializers.CharField(source="share.payment.account")
    target = serializers.CharField()
    payee = serializers.SerializerMethodField()
    payment = serializers.CharField(source="share.payment.reference")
    amount_minor = serializers.IntegerField()
    currency = serializers.CharField()
    gateway_refund_id = serializers.CharField(allow_null=True)
    failure_code = serializers.CharField()
    call = serializers.ChoiceField(["idle", "sent", "unknown"])
    attempt = serializers.IntegerField()
    replaced_by = serializers.CharField()
    receipt = serializers.SerializerMethodField()

    def get_payee(self, movement: GatewayRefund) -> str:
        return masked(movement.payee) if movement.payee else ""

    @extend_schema_field(ReceiptShape)
    def get_receipt(self, movement: GatewayRefund) -> dict[str, Any]:
        return _RECEIPT.to_representation(receipt_from(movement.receipt))


_PICKUP = PickupShape()


class StatusShape(Shape[Refund]):
    """What is. `next_reconcile_at` is when the engine looks next, if nothing wakes it sooner. `pickup` is the one of
    `pickups` that has the goods, else the latest that is wanted. `cancel_requested`: it ends when the courier confirms
    that he does not come. `rejection` is what an agent told the customer, `rejection_code` what kind of rejection it
    was; empty without one. `offer` is the last one that was made, `target_change` the last change of where the money
    goes, `replaced_by` the order that the customer got instead of it, `assignee` the agent whose case it is."""

    state = serializers.ChoiceField([(state.value, state.name) for state in RefundState])
    route = serializers.ChoiceField([route.value for route in Route])
    conditions = serializers.SerializerMethodField()
    observed_generation = serializers.IntegerField()
    next_reconcile_at = serializers.DateTimeField(allow_null=True)
    deadline = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    replaced_by = serializers.CharField()
    assignee = serializers.SerializerMethodField()
    approved = serializers.SerializerMethodField()
    offer = serializers.SerializerMethodField()
    rejection = serializers.CharField()
    rejection_code = serializers.ChoiceField(["", *(code.value for code in Rejection)])
    hold = serializers.SerializerMethodField()
    proof = serializers.SerializerMethodField()
    cancel_requested = serializers.SerializerMethodField()
    target_change = serializers.SerializerMethodField()
    pickup = serializers.SerializerMethodField()
    pickups = PickupShape(many=True, source="pickups.all")
    gateway_refunds = GatewayRefundShape(many=True, source="gateway_refunds.all")
    notifications = MessageShape(many=True, source="notifications.all")

    @extend_schema_field(ConditionShape(many=True))
    def get_conditions(self, refund: Refund) -> list[dict[str, Any]]:
        return conditions(refund)

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_assignee(self, refund: Refund) -> str | None:
        return None if refund.assignee_id is None else f"principal:{refund.assignee_id}"

    @extend_schema_field(ApprovalShape(allow_null=True))
    def get_approved(self, refund: Refund) -> dict[str, Any] | None:
        return {"by": refund.approved_by, "at": refund.approved_at} if refund.approved_at else None

    @extend_schema_field(OfferShape(allow_null=True))
    def get_offer(self, refund: Refund) -> dict[str, Any] | None:
        if refund.offered_minor is None:
            return None
        return {"amount_minor": refund.offered_minor, "by": refund.offered_by, "note": refund.offer_note}

    @extend_schema_field(HoldShape(allow_null=True))
    def get_hold(self, refund: Refund) -> dict[str, Any] | None:
        return {"from": refund.held_from, "until": refund.held_until} if refund.held_until else None

    @extend_schema_field(ProofShape(allow_null=True))
    def get_proof(self, refund: Refund) -> dict[str, Any] | None:
        return proof_shown(refund)

    def get_cancel_requested(self, refund: Refund) -> bool:
        return bool(refund.cancel_wanted_by)

    @extend_schema_field(TargetChangeShape(allow_null=True))
    def get_target_change(self, refund: Refund) -> dict[str, Any] | None:
        return target_change(refund)

    @extend_schema_field(PickupShape(allow_null=True))
    def get_pickup(self, refund: Refund) -> dict[str, Any] | None:
        pickups = list(refund.pickups.all())
        latest = counting(pickups) or (pickups[-1] if pickups else None)
        return _PICKUP.to_representation(latest) if latest else None


@dataclass(frozen=True, slots=True)
class Shown:
    """A refund, and who looks at it."""

    refund: Refund
    actor: Actor


class RefundShape(Shape[Shown]):
    """A refund: what is wanted (`spec`), how the amount came about (`sheet`), what is (`status`), what the caller can
    do next."""

    metadata = MetadataShape(source="refund")
    spec = SpecShape(source="refund")
    sheet = serializers.SerializerMethodField()
    status = StatusShape(source="refund")
    allowed_actions = serializers.SerializerMethodField()

    @extend_schema_field(SheetShape)
    def get_sheet(self, shown: Shown) -> Any:
        return shown.refund.sheet

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_allowed_actions(self, shown: Shown) -> list[str]:
        return list(allowed_actions(shown.refund, shown.actor))


class RefundPageShape(serializers.Serializer[Any]):
    """`next_cursor` is null on the last page."""

    items = RefundShape(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class RequestedShape(serializers.Serializer[Any]):
    """The answer to a request: one refund per route, under one request number."""

    request = serializers.CharField()
    refunds = RefundShape(many=True)


#: Made once: building the nested fields costs more than a refund's rendering.
_REFUND = RefundShape()


def show_refund(refund: Refund, *, actor: Actor) -> dict[str, Any]:
    """The refund as this actor sees it."""
    return _REFUND.to_representation(Shown(refund, actor))


def show_refunds(refunds: Iterable[Refund], *, actor: Actor) -> list[dict[str, Any]]:
    return [show_refund(refund, actor=actor) for refund in refunds]
