"""What the refund doors take: strict bodies, and the wishes services are asked with."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.fields import empty

from orders.rest.door import ChannelRef
from orders.rest.fields import (
    MAX_MINOR,
    Body,
    Choice,
    Currency,
    Identifier,
    JsonObject,
    Quantity,
    StrictBoolean,
    StrictInteger,
    Text,
    list_of,
)
from orders.roles import Actor
from orders.services.lines import key_of
from refunds.services.requests import AdjustmentWish, LineWish, RefundWish
from refunds.states import MAX_BOXES, AskedBy, Goods, Initiator, RefundTo, Remedy, WayBack

MAX_LINES = 1000


class NamedLine(Body):
    """A line, named by its `id` or, where only one line has it, by its `sku`."""

    default_error_messages = {"id_or_sku": "name the line by id or by sku, one of them"}

    id = Identifier(max_length=100, required=False)
    sku = Identifier(max_length=100, required=False)

    def validate(self, line: dict[str, Any]) -> dict[str, Any]:
        if ("id" in line) == ("sku" in line):
            self.fail("id_or_sku")
        return line


class LineBody(NamedLine):
    """So many units of it."""

    quantity = Quantity()


LINES_SCHEMA = {
    "oneOf": [
        {"type": "string", "enum": ["all"]},
        {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_LINES,
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string", "description": "Id of the line."},
                    "sku": {"type": "string", "description": "Instead of the id, where one line only has it."},
                    "quantity": {"type": "integer", "minimum": 1},
                },
                "required": ["quantity"],
                "additionalProperties": False,
            },
        },
    ]
}


@extend_schema_field(LINES_SCHEMA)
class Lines(serializers.ListField):
    """A list of lines, or "all": everything that is left (None)."""

    child = LineBody()
    default_error_messages = {"not_a_list": 'must be "all" or a list of lines', "empty": "must name at least one line"}

    def run_validation(self, data: Any = empty) -> Any:
        if data == "all":
            return None
        if data is not empty and data is not None and not isinstance(data, list):
            self.fail("not_a_list")
        return super().run_validation(data)


class Wanted(StrictInteger):
    """Money that is asked for, in minor units of the order's currency: at least one."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=1, max_value=MAX_MINOR, **kwargs)


class AdjustmentBody(NamedLine):
    """So much off the price of a line; its units stay where they are."""

    amount_minor = Wanted()


#: What a request can be for: one of these, the shipping being possible beside lines too.
KINDS = ("lines", "adjustments", "amount_minor", "overpaid")
_OF_UNITS = ("goods", "pickup_address", "boxes", "way_back", "remedy")


def initiator() -> Choice:
    return Choice(choices=list(Initiator), required=False, help_text="On whose wish; merchant: the shop's own idea.")


class RefundBody(Body):
    """One of `lines`, `adjustments` (off the price of lines, without a return), `amount_minor` (a free amount),
    `overpaid` (what was captured beyond the total), or `shipping` alone. `shipping` beside lines: true now, false not
    now, else by the policy. `currency`, when stated, must be the order's.

    `goods`: whether they come back. `pickup_address`: where they are fetched, by default the shipping address, and in
    how many `boxes`. `way_back`: fetched, or handed in with a label. `refund_to`: back to the payments, or as store
    credit; by default what the policy says. `remedy`: the money (default), or another one of what was sent, by an
    order that `replaces` it. `asked_by`: whoever paid (default), or the `recipient` of a gift, who can have another
    one and no money.
    """

    default_error_messages = {
        "nothing_asked": "say what is to be refunded: lines, adjustments, amount_minor, overpaid or shipping",
        "exclusive": "cannot go with {other}: ask for one of them",
        "needs_lines": "is about goods, so it goes with lines",
    }

    lines = Lines(allow_empty=False, max_length=MAX_LINES, required=False)
    adjustments = list_of(AdjustmentBody, allow_empty=False, max_length=MAX_LINES, required=False)
    amount_minor = Wanted(required=False)
    overpaid = StrictBoolean(required=False)
    shipping = StrictBoolean(required=False)
    currency = Currency(required=False)
    reason = Identifier(max_length=40, required=False, allow_blank=True)
    goods = Choice(choices=[goods.value for goods in Goods], required=False)
    note = Text(max_length=2000, lines=True, required=False, allow_blank=True)
    pickup_address = JsonObject(required=False)
    boxes = StrictInteger(min_value=1, max_value=MAX_BOXES, required=False)
    way_back = Choice(choices=[way.value for way in WayBack], required=False)
    refund_to = Choice(choices=[to.value for to in RefundTo], required=False)
    remedy = Choice(choices=[remedy.value for remedy in Remedy], required=False)
    asked_by = Choice(choices=[who.value for who in AskedBy], required=False)
    initiator = initiator()

    def validate(self, body: dict[str, Any]) -> dict[str, Any]:
        asked = [kind for kind in KINDS if kind in body and body[kind] is not False]
        others = asked[1:] + ["shipping"] * ("shipping" in body and asked not in ([], ["lines"]))
        errors = {name: [self._error("exclusive", other=asked[0])] for name in others}
        if not asked and not body.get("shipping"):
            errors["lines"] = [ErrorDetail(str(self.error_messages["nothing_asked"]), "required")]
        if "lines" not in body:
            errors |= {name: [self._error("needs_lines")] for name in _OF_UNITS if name in body}
        if errors:
            raise ValidationError(errors)
        return body

    def _error(self, code: str, **names: str) -> ErrorDetail:
        return ErrorDetail(str(self.error_messages[code]).format(**names), code)


class OrderCancelBody(Body):
    reason = Identifier(max_length=40, required=False, allow_blank=True)
    note = Text(max_length=2000, lines=True, required=False, allow_blank=True)
    refund_to = Choice(choices=[to.value for to in RefundTo], required=False)
    initiator = initiator()


class NoBody(Body):
    """Nothing is to be said: no body, or {}."""


def wish(body: dict[str, Any], *, order: str, channel: ChannelRef, actor: Actor) -> RefundWish:
    """The request a checked RefundBody makes."""
    return RefundWish(
        channel_id=channel.id,
        order_number=order,
        actor=actor,
        lines=line_wishes(body["lines"]) if "lines" in body else (),
        adjustments=tuple(
            AdjustmentWish(key_of(one), one["amount_minor"], f"adjustments[{index}]")
            for index, one in enumerate(body.get("adjustments", ()))
        ),
        amount_minor=body.get("amount_minor"),
        shipping=body.get("shipping"),
        overpaid=body.get("overpaid", False),
        currency=body.get("currency", ""),
        reason_code=body.get("reason", ""),
        goods=Goods(body.get("goods", Goods.RETURN)),
        note=body.get("note", ""),
        pickup_address=body.get("pickup_address"),
        boxes=body.get("boxes", 1),
        way_back=WayBack(body["way_back"]) if "way_back" in body else None,
        refund_to=RefundTo(body["refund_to"]) if "refund_to" in body else None,
        remedy=Remedy(body.get("remedy", Remedy.MONEY)),
        asked_by=AskedBy(body.get("asked_by", AskedBy.PAYER)),
        initiator=Initiator(body.get("initiator", Initiator.CUSTOMER)),
    )


def cancel_wish(body: dict[str, Any], *, order: str, channel: ChannelRef, actor: Actor) -> RefundWish:
    """The request that cancels an order: all units that have not left."""
    return RefundWish(
        channel_id=channel.id,
        order_number=order,
        actor=actor,
        lines=None,
        reason_code=body.get("reason", ""),
        note=body.get("note", ""),
        only_unshipped=True,
        refund_to=RefundTo(body["refund_to"]) if "refund_to" in body else None,
        initiator=Initiator(body.get("initiator", Initiator.CUSTOMER)),
    )


def line_wishes(lines: list[dict[str, Any]] | None) -> tuple[LineWish, ...] | None:
    """None, for all that there is, stays None."""
    if lines is None:
        return None
    return tuple(
        LineWish(key_of(line), quantity=line["quantity"], path=f"lines[{index}]") for index, line in enumerate(lines)
    )
