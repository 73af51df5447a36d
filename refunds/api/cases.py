"""Refunds as they stand: the list, one of them, and its trail."""

from functools import partial

from django.http import HttpResponse
from rest_framework.request import Request

from orders.rest.answers import answer
from orders.rest.door import Door
from orders.rest.pagination import page, read_page
from orders.rest.schema import operation
from orders.snapshot import snapshot
from refunds.actions import Action, permit
from refunds.api import queries, schema
from refunds.api.event_shapes import TrailShape, show_event
from refunds.api.shapes import RefundPageShape, RefundShape, show_refund
from refunds.models import Refund
from refunds.selectors.feed import refund_events
from refunds.selectors.refunds import refund_by_number, refunds_page


class CaseDoor(Door):
    """Doors to one refund."""

    def found(self, number: str) -> Refund:
        return refund_by_number(number, channels=self.caller.channel_ids)

    def shown(self, refund: Refund, *, status: int = 200) -> HttpResponse:
        body = show_refund(refund, actor=self.caller.actor)
        return answer(body, status=status, resource_version=refund.resource_version)


class Refunds(Door):
    """GET /refunds"""

    @operation(
        operation_id="list_refunds",
        parameters=[schema.CHANNEL, *schema.REFUND_FILTERS, *schema.PAGE],
        responses={200: RefundPageShape} | schema.problems(404),
    )
    def get(self, request: Request) -> HttpResponse:
        """Newest first."""
        permit(Action.READ, self.caller.actor)
        wish = read_page(request._request, (int,))
        wanted = queries.refund_filter(self, before_id=wish.after[0] if wish.after else None)
        with snapshot():
            found = refunds_page(wanted, limit=wish.to_read)
        return answer(
            page(found, wish, show=partial(show_refund, actor=self.caller.actor), key=lambda refund: refund.pk)
        )


class RefundCase(CaseDoor):
    """GET /refunds/{number}"""

    @operation(operation_id="get_refund", responses={200: RefundShape} | schema.problems(404))
    def get(self, request: Request, number: str) -> HttpResponse:
        """The refund with its ETag."""
        permit(Action.READ, self.caller.actor)
        with snapshot():
            return self.shown(self.found(number))


class RefundTrail(CaseDoor):
    """GET /refunds/{number}/events"""

    @operation(
        operation_id="list_refund_events",
        parameters=[*schema.PAGE],
        responses={200: TrailShape} | schema.problems(404),
    )
    def get(self, request: Request, number: str) -> HttpResponse:
        """The audit trail of one refund, in order."""
        permit(Action.READ, self.caller.actor)
        wish = read_page(request._request, (int,))
        after = wish.after[0] if wish.after else 0
        found = refund_events(self.found(number).pk, after_seq=after, limit=wish.to_read)
        return answer(page(found, wish, show=show_event, key=lambda event: event.seq))
