"""The doors of orders: PUT and GET, parcels and what their carrier says, customer links."""

import re

from django.db import transaction
from django.http import HttpResponse
from rest_framework.request import Request

from orders.api import bodies, schemas
from orders.api.answers import order_head, shipment_head, whole_order
from orders.errors import Invalid, NotFound
from orders.rest.answers import answer, tagged
from orders.rest.door import Door
from orders.rest.fields import is_plain
from orders.rest.schema import IDEMPOTENCY_KEY, documented
from orders.selectors.orders import order_page
from orders.services import carrier, links, put_order, shipments
from orders.snapshot import snapshot
from orders.states import CARRIER_FACTS, ShipmentState
from refunds.services.wakes import order_changed

NUMBER = re.compile(r"\S(.{0,62}\S)?")


class OrderDoor(Door):
    @documented(schemas.OrderWhole, name="order_get")
    def get(self, request: Request, number: str) -> HttpResponse:
        """The order, and what of it can still be refunded."""
        channel = self.channel()
        with snapshot():
            page = order_page(channel_id=channel.id, number=number)
            shown = whole_order(page, channel=channel.slug)
        return tagged(answer(shown))

    @documented(schemas.OrderHead, name="order_put", body=bodies.OrderBody)
    def put(self, request: Request, number: str) -> HttpResponse:
        """State the whole order; 201 when it is new. The same again changes nothing."""
        channel, body = self.channel(), self.read(bodies.ORDER)
        if not NUMBER.fullmatch(number) or not is_plain(number):
            raise Invalid.of(
                "number", "bad_number", "An order number has 1 to 64 visible characters, no space at its ends."
            )
        with transaction.atomic():
            facts = bodies.order_facts(number, body)
            put = put_order.put_order(facts, channel_id=channel.id, actor=self.caller.actor)
            if put.changed and not put.created:
                order_changed([put.order.pk])
        return answer(order_head(put.order, channel.slug), status=201 if put.created else 200)


class ShipmentsDoor(Door):
    @documented(
        schemas.ShipmentHead,
        name="shipment_add",
        body=bodies.ShipmentBody,
        status=201,
        parameters=(IDEMPOTENCY_KEY,),
    )
    def post(self, request: Request, number: str) -> HttpResponse:
        """Units handed to a carrier; 200 when the reference is known, and nothing has changed."""
        channel, body = self.channel(), self.read(bodies.SHIPMENT, optional=True)
        return self.once(lambda: self._add(channel.id, bodies.shipment_facts(number, body)))

    def _add(self, channel_id: int, facts: shipments.ShipmentFacts) -> HttpResponse:
        shipped = shipments.add_shipment(facts, channel_id=channel_id, actor=self.caller.actor)
        if shipped.created:
            order_changed([shipped.shipment.order_id])
        return answer(shipment_head(shipped.shipment), status=201 if shipped.created else 200)


class CarrierFactDoor(Door):
    @documented(schemas.FactTaken, name="shipment_fact", body=bodies.FactBody, parameters=(IDEMPOTENCY_KEY,))
    def post(self, request: Request, number: str, shipment_id: str, fact: str) -> HttpResponse:
        """What the carrier says: delivered, returning, returned, lost, refused."""
        channel, body = self.channel(), self.read(bodies.FACT, optional=True)
        if fact not in CARRIER_FACTS or not re.fullmatch("[0-9]{1,18}", shipment_id):
            raise NotFound("not_found", "There is nothing at this address.")
        said = carrier.CarrierFact(number, int(shipment_id), ShipmentState(fact), body.get("occurred_at"))
        return self.once(lambda: self._report(channel.id, said))

    def _report(self, channel_id: int, said: carrier.CarrierFact) -> HttpResponse:
        reported = carrier.report_fact(said, channel_id=channel_id, actor=self.caller.actor)
        if reported.applied:
            order_changed([reported.order_id])
        return answer(shipment_head(reported.shipment) | {"applied": reported.applied})


class LinksDoor(Door):
    @documented(schemas.LinkAnswer, name="link_add", body=bodies.LinkBody, status=201, parameters=(IDEMPOTENCY_KEY,))
    def post(self, request: Request, number: str) -> HttpResponse:
        """A signed link that lets a customer act on this order, for one purpose and a while."""
        channel, body = self.channel(), self.read(bodies.LINK)
        return self.once(lambda: self._link(channel.id, bodies.link_wish(number, body)))

    def _link(self, channel_id: int, wish: links.LinkWish) -> HttpResponse:
        link = links.make_link(wish, channel_id=channel_id, actor=self.caller.actor)
        shown = {name: getattr(link, name) for name in ("url", "token", "purpose", "expires_at")}
        return answer(shown, status=201)
