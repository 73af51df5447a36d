"""What the acts on a refund take: strict bodies, and what the services are asked with."""

from typing import Any

from rest_framework.exceptions import ErrorDetail, ValidationError

from orders.rest.fields import (
    MAX_QUANTITY,
    Amount,
    Body,
    Choice,
    Identifier,
    Patterned,
    StrictBoolean,
    StrictInteger,
    Text,
    Timestamp,
    list_of,
)
from orders.roles import Actor
from orders.services.lines import key_of
from refunds.api.bodies import MAX_LINES, LineBody, Lines, NamedLine, line_wishes
from refunds.destinations import Instrument
from refunds.incidents import DOUBTS
from refunds.services.acts import Approval, Disposed, Elsewhere, Inspected
from refunds.states import FOR_ACCEPTED, Disposition, Goods, RefundTo, Remedy


class ApproveBody(Body):
    """Without `lines`: all of it; of a line that is not named nothing. `goods`: what the customer is to do with them,
    when other than he asked for."""

    lines = Lines(required=False, allow_empty=False, max_length=MAX_LINES)
    goods = Choice(choices=[goods.value for goods in Goods], required=False)


class RejectBody(Body):
    """The customer is told the reason."""

    reason = Text(max_length=2000, lines=True)


class BypassBody(Body):
    """Why it is let pass."""

    reason = Text(max_length=500, lines=True)


class ReplaceBody(Body):
    """What the customer is to get."""

    remedy = Choice(choices=[remedy.value for remedy in Remedy])


class OfferBody(Body):
    """So much of the price, and the customer keeps the goods; he is told the note."""

    amount_minor = Amount()
    note = Text(max_length=2000, lines=True)


class MessageBody(Body):
    """What the other side is to read."""

    text = Text(max_length=2000, lines=True)


class ContestBody(Body):
    """Why the customer does not agree."""

    note = Text(max_length=2000, lines=True)


class ReopenBody(Body):
    """Why it is looked at again; for the record only."""

    note = Text(max_length=2000, lines=True)


class DoubtBody(Body):
    """What is not as announced, and what is to be seen; for agents only."""

    what = Choice(choices=sorted(DOUBTS))
    note = Text(max_length=500, lines=True)


class HoldBody(Body):
    """Without `until`: as long as the policy allows."""

    until = Timestamp(required=False)


class ShipBackBody(Body):
    """What the customer posted himself; `further`: one more box, beside those he has told of."""

    carrier = Identifier(max_length=60)
    tracking_number = Patterned(pattern=r".*\S.*", shape="a number", max_length=100)
    further = StrictBoolean(required=False)


class SlotBody(Body):
    starts_at = Timestamp()
    ends_at = Timestamp()


class RebookBody(Body):
    """When the courier is to come instead."""

    slot = SlotBody()


class Found(StrictInteger):
    """So many units; none when left out."""

    def __init__(self) -> None:
        super().__init__(max_value=MAX_QUANTITY, required=False)


class InspectedLine(NamedLine):
    """What was found of the units that were announced; `disposition`: what becomes of the accepted ones (restock)."""

    accepted = Found()
    damaged = Found()
    wrong_item = Found()
    missing = Found()
    disposition = Choice(choices=[d.value for d in FOR_ACCEPTED], required=False)


class InspectBody(Body):
    """`more`: further boxes are to come; what was found so far is only noted."""

    more = StrictBoolean(required=False)
    lines = list_of(InspectedLine, allow_empty=False, max_length=MAX_LINES)


class DisposedLine(LineBody):
    """What becomes of so many refused units."""

    disposition = Choice(choices=[d.value for d in Disposition])


class DisposeBody(Body):
    """Of the units that were found to be damaged or wrong."""

    lines = list_of(DisposedLine, allow_empty=False, max_length=MAX_LINES)


class ConfirmStopBody(Body):
    """false: the units have left without a scan."""

    stopped = StrictBoolean()


class ProofBody(Body):
    """true: it was delivered, as the `note` says."""

    delivered = StrictBoolean()
    note = Text(max_length=2000, lines=True, required=False, allow_blank=True)


class AssignBody(Body):
    """To whom, by the name that events give him; null: to nobody. Without `to`: to the caller."""

    to = Patterned(pattern=r"principal:[1-9][0-9]{0,17}", shape="principal:7", required=False, allow_null=True)


class ExternalBody(Body):
    """`payment`: its reference, or `gateway:reference` where two have the same; left out where only one has something
    missing. `reference`: where the proof is."""

    payment = Patterned(pattern=r".*\S.*", shape="a payment", max_length=261, required=False)
    amount_minor = Amount()
    reference = Patterned(pattern=r".*\S.*", shape="a reference", max_length=200)


class SetTargetBody(Body):
    """Where the money is to go: `refund_to`, or an `account` that pays others out, with what it knows the `payee` by.
    `proof`: where the customer's consent can be found."""

    refund_to = Choice(choices=[to.value for to in RefundTo], required=False)
    account = Identifier(max_length=60, required=False)
    payee = Identifier(max_length=100, required=False)
    payee_name = Text(max_length=200, required=False)
    proof = Text(max_length=200, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("refund_to" in attrs) == ("account" in attrs):
            one = ErrorDetail("Say refund_to or account, one of the two.", "exclusive")
            raise ValidationError({"refund_to": [one]})
        return attrs


class ConfirmTargetBody(Body):
    """The code that the customer was sent."""

    code = Patterned(pattern=r"\s*[0-9]{6}\s*", shape="six digits", max_length=20)


class CloseBody(Body):
    """Why it is closed as it stands."""

    note = Text(max_length=2000, lines=True)


def approval(body: dict[str, Any]) -> Approval:
    goods = body.get("goods")
    return Approval(lines=line_wishes(body.get("lines")), goods=Goods(goods) if goods else None)


def elsewhere(body: dict[str, Any]) -> Elsewhere:
    instrument = Instrument(body.get("refund_to", Instrument.ACCOUNT))
    return Elsewhere(instrument, **{name: text for name, text in body.items() if name != "refund_to"})


def assignee(body: dict[str, Any], caller: Actor) -> int | None:
    """The id of the principal who gets the case."""
    to = body.get("to", caller.reference)
    return None if to is None else int(to.removeprefix("principal:"))


def findings(body: dict[str, Any]) -> list[Inspected]:
    return [_inspected(line, f"lines[{index}]") for index, line in enumerate(body["lines"])]


def _inspected(line: dict[str, Any], path: str) -> Inspected:
    found = {name: count for name, count in line.items() if name not in ("id", "sku")}
    if "disposition" in found:
        found["disposition"] = Disposition(found["disposition"])
    return Inspected(key_of(line), path=path, **found)


def dispositions(body: dict[str, Any]) -> list[Disposed]:
    return [
        Disposed(key_of(line), line["quantity"], Disposition(line["disposition"]), f"lines[{index}]")
        for index, line in enumerate(body["lines"])
    ]
