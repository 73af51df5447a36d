"""What the refund doors take: strict bodies, and the wishes services are asked with."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from orders.rest.door import ChannelRef
from orders.rest.fields import Body, Choice, Identifier, JsonObject, Quantity, Text
from orders.roles import Actor
from orders.services.lines import key_of
from refunds.services.requests import LineWish, RefundWish
from refunds.states import Goods, RefundTo

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


class RefundBody(Body):
    """`goods`: whether they come back. `pickup_address`: where they are fetched, by default the shipping address.
    `refund_to`: back to the payments, or as store credit; by default what the policy says."""

    lines = Lines(allow_empty=False, max_length=MAX_LINES)
    reason = Identifier(max_length=40, required=False, allow_blank=True)
    goods = Choice(choices=[goods.value for goods in Goods], required=False)
    note = Text(max_length=2000, lines=True, required=False, allow_blank=True)
    pickup_address = JsonObject(required=False)
    refund_to = Choice(choices=[to.value for to in RefundTo], required=False)


class OrderCancelBody(Body):
    reason = Identifier(max_length=40, required=False, allow_blank=True)
    note = Text(max_length=2000, lines=True, required=False, allow_blank=True)
    refund_to = Choice(choices=[to.value for to in RefundTo], required=False)


class NoBody(Body):
    """Nothing is to be said: no body, or {}."""


def wish(body: dict[str, Any], *, order: str, channel: ChannelRef, actor: Actor) -> RefundWish:
    """The request a checked RefundBody makes."""
    return RefundWish(
        channel_id=channel.id,
        order_number=order,
        actor=actor,
        lines=line_wishes(body["lines"]),
        reason_code=body.get("reason", ""),
        goods=Goods(body.get("goods", Goods.RETURN)),
        note=body.get("note", ""),
        pickup_address=body.get("pickup_address"),
        refund_to=RefundTo(body["refund_to"]) if "refund_to" in body else None,
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
    )


def line_wishes(lines: list[dict[str, Any]] | None) -> tuple[LineWish, ...] | None:
    """None, for all that there is, stays None."""
    if lines is None:
        return None
    return tuple(
        LineWish(key_of(line), quantity=line["quantity"], path=f"lines[{index}]") for index, line in enumerate(lines)
    )
