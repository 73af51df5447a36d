"""When the courier can come, and a parcel that came without a case."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from orders.rest.answers import answer
from orders.rest.door import Door
from orders.rest.fields import Body, Identifier, Text
from orders.rest.schema import operation
from refunds.actions import Action, permit
from refunds.api import schema
from refunds.api.cases import CaseDoor
from refunds.api.incidents import IncidentShape, show_incident
from refunds.api.return_shapes import SlotShape
from refunds.api.shapes import RefundShape, show_refunds
from refunds.selectors.arrivals import Parcel
from refunds.services.acts import take_parcel
from refunds.services.couriers import courier_for
from refunds.services.offered_slots import offered_slots
from workers.bootstrap import courier


class ParcelBody(Body):
    """What can be read on it, one of the first four at least; `reference`: a number of ours, or the customer's own."""

    tracking_number = Identifier(max_length=100, required=False)
    order = Identifier(max_length=64, required=False)
    phone = Identifier(max_length=32, required=False)
    reference = Identifier(max_length=100, required=False)
    note = Text(max_length=500, lines=True, required=False)


class ArrivalShape(serializers.Serializer[Any]):
    """The refunds that have it now, or the incident that it became."""

    refunds = RefundShape(many=True)
    incident = IncidentShape(allow_null=True)


PARCEL_BODY = ParcelBody()


class SlotsShape(serializers.Serializer[Any]):
    """Soonest first; empty when the courier names none, or does not answer."""

    slots = SlotShape(many=True)


class PickupSlots(CaseDoor):
    """GET /refunds/{number}/pickup-slots"""

    @operation(operation_id="list_pickup_slots", responses={200: SlotsShape} | schema.problems(403, 404))
    def get(self, request: Request, number: str) -> HttpResponse:
        """When the courier could come, as he says now: for `rebook_pickup`."""
        permit(Action.REBOOK_PICKUP, self.caller.actor)
        refund = self.found(number)
        offered = offered_slots(refund, courier(courier_for(refund.order)))
        return answer(SlotsShape({"slots": offered}).data)


class Returns(Door):
    """POST /returns"""

    @operation(
        operation_id="take_parcel",
        request=ParcelBody,
        parameters=[schema.IDEMPOTENCY_KEY],
        responses={200: ArrivalShape} | schema.problems(403),
    )
    def post(self, request: Request) -> HttpResponse:
        """A parcel is here and nobody knows whose. It is received on the refund that names it, or on the only one
        awaited from its order or customer; else it is an incident, `unknown_parcel`. Said again, nothing changes."""
        permit(Action.RECEIVE, self.caller.actor)
        parcel = Parcel(**self.read(PARCEL_BODY))
        return self.once(lambda: self._taken(parcel))

    def _taken(self, parcel: Parcel) -> HttpResponse:
        actor = self.caller.actor
        arrival = take_parcel(parcel, channels=self.caller.channel_ids, actor=actor)
        incident = show_incident(arrival.incident, actor=actor) if arrival.incident else None
        return answer({"refunds": show_refunds(arrival.refunds, actor=actor), "incident": incident})
