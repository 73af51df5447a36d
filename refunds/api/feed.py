"""The feed: what happened to all refunds, for a shop that wants to be told by asking."""

from django.http import HttpResponse
from rest_framework.request import Request

from orders.rest.answers import answer
from orders.rest.door import Door
from orders.rest.pagination import DEFAULT_LIMIT, MAX_LIMIT
from orders.rest.parameters import query_integer
from orders.rest.schema import operation
from refunds.actions import Action, permit
from refunds.api import queries, schema
from refunds.api.event_shapes import FeedShape, show_event
from refunds.selectors.feed import feed_page


class Events(Door):
    """GET /events"""

    @operation(
        operation_id="list_events",
        parameters=[schema.CHANNEL, schema.AFTER, schema.TYPES, schema.LIMIT],
        responses={200: FeedShape} | schema.problems(404),
    )
    def get(self, request: Request) -> HttpResponse:
        """Events in the order they became visible; none is ever missed. Keep `next` and give it as `after`."""
        permit(Action.READ, self.caller.actor)
        django = request._request
        found = feed_page(
            queries.feed_position(django),
            channels=queries.channel_ids(self),
            kinds=queries.event_types(django),
            limit=query_integer(django, "limit", default=DEFAULT_LIMIT, largest=MAX_LIMIT),
        )
        return answer({"items": [show_event(event) for event in found.events], "next": queries.feed_cursor(found.next)})
