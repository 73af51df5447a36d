"""GET and PUT /refunds/{number}/credit-note: what it says, and the number it was issued under."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers as s
from rest_framework.request import Request

from orders.errors import NotFound
from orders.rest import fields
from orders.rest.answers import answer
from orders.rest.schema import operation
from orders.snapshot import snapshot
from refunds.actions import Action, permit
from refunds.api import schema
from refunds.api.cases import CaseDoor
from refunds.selectors.credit_notes import credit_note_data, why_none
from refunds.services.credit_notes import IssuedNote, record_credit_note


class IssuedBody(fields.Body):
    number = fields.Identifier(max_length=64)
    issued_at = fields.Timestamp()


class InvoiceShape(s.Serializer[Any]):
    number = s.CharField()
    issued_at = s.DateTimeField()


class TaxShape(s.Serializer[Any]):
    """`rate` as the shop states it; empty where it states none."""

    rate = s.CharField()
    net_minor = s.IntegerField()
    tax_minor = s.IntegerField()
    gross_minor = s.IntegerField()


class IssuedShape(InvoiceShape):
    """`amount_minor` is what the refund was about when the number came in."""

    amount_minor = s.IntegerField()
    recorded_at = s.DateTimeField()


class CreditNoteShape(s.Serializer[Any]):
    """What a credit note says of the refund; `moved_minor` is what has left by now, `credit_note` what was issued."""

    refund = s.CharField()
    order = s.CharField()
    channel = s.CharField()
    currency = s.CharField()
    original_invoice = InvoiceShape(allow_null=True)
    legal_entity = s.CharField()
    country = s.CharField()
    taxes = TaxShape(many=True)
    net_minor = s.IntegerField()
    tax_minor = s.IntegerField()
    gross_minor = s.IntegerField()
    moved_minor = s.IntegerField()
    credit_note = IssuedShape(allow_null=True)


_BODY = IssuedBody()


class CreditNoteDoor(CaseDoor):
    @operation(operation_id="get_credit_note", responses={200: CreditNoteShape} | schema.problems(403, 404))
    def get(self, request: Request, number: str) -> HttpResponse:
        """Its data; 404 `nothing_to_credit` where no money that was invoiced goes back, as when a hold is released."""
        permit(Action.READ, self.caller.actor)
        with snapshot():
            refund = self.found(number)
            if reason := why_none(refund):
                raise NotFound("nothing_to_credit", reason)
            return answer(credit_note_data(refund))

    @operation(
        operation_id="put_credit_note",
        request=IssuedBody,
        responses={200: CreditNoteShape} | schema.problems(403, 404, 409),
    )
    def put(self, request: Request, number: str) -> HttpResponse:
        """The number that the shop has issued; the same again changes nothing, another one is refused."""
        issued = IssuedNote(**self.read(_BODY))
        record_credit_note(number, issued, channels=self.caller.channel_ids, actor=self.caller.actor)
        return answer(credit_note_data(self.found(number)))
