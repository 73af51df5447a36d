"""Incidents, which a person must look at: the list, one of them, and closing it."""

from functools import partial
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from orders.rest.answers import answer
from orders.rest.door import Door
from orders.rest.fields import Body, Identifier, Text
from orders.rest.pagination import page, read_page
from orders.rest.parameters import query_text
from orders.rest.schema import operation
from orders.roles import Actor
from orders.snapshot import snapshot
from refunds.actions import Action, permit
from refunds.api import queries, schema
from refunds.api.act_bodies import CloseBody
from refunds.incidents import may_close, may_match
from refunds.models import Incident
from refunds.selectors.incidents import cause_of, incident_by_id, incidents_page
from refunds.services.acts import close_incident, match_parcel


class IncidentShape(serializers.Serializer[Incident]):
    """`refund` is null where it is about the order, and all three are where it is about no order here; `closed_at` is
    while it is open."""

    id = serializers.IntegerField()
    kind = serializers.CharField()
    channel = serializers.CharField(source="order.channel.slug", default=None, allow_null=True)
    order = serializers.CharField(source="order.number", default=None, allow_null=True)
    refund = serializers.CharField(source="refund.number", default=None, allow_null=True)
    data = serializers.JSONField()  # type: ignore[assignment]
    opened_at = serializers.DateTimeField()
    due_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)
    closed_by = serializers.CharField()
    note = serializers.CharField()
    allowed_actions = serializers.SerializerMethodField()

    @extend_schema_field({"type": "array", "items": {"type": "string", "enum": ["close", "match"]}})
    def get_allowed_actions(self, incident: Incident) -> list[str]:
        if incident.closed_at is not None:
            return []
        kind, actor = incident.kind, self.context["actor"]
        can = {"close": may_close(kind, cause_of(incident), actor), "match": may_match(kind, actor)}
        return [name for name, may in can.items() if may]


class MatchBody(Body):
    """The refund whose goods are in the parcel."""

    refund = Identifier(max_length=64)
    note = Text(max_length=2000, lines=True, required=False, allow_blank=True)


class IncidentPageShape(serializers.Serializer[Any]):
    items = IncidentShape(many=True)
    next_cursor = serializers.CharField(allow_null=True)


def show_incident(incident: Incident, *, actor: Actor) -> dict[str, Any]:
    return IncidentShape(context={"actor": actor}).to_representation(incident)


class Incidents(Door):
    """GET /incidents"""

    @operation(
        operation_id="list_incidents",
        parameters=[schema.CHANNEL, schema.ORDER, *schema.PAGE],
        responses={200: IncidentPageShape} | schema.problems(404),
    )
    def get(self, request: Request) -> HttpResponse:
        """Open and closed ones, newest first."""
        permit(Action.READ, self.caller.actor)
        django = request._request
        wish, order = read_page(django, (int,)), query_text(django, "order") or ""
        before_id = wish.after[0] if wish.after else None
        channels = queries.channel_ids(self)
        with snapshot():
            found = incidents_page(channels=channels, order=order, before_id=before_id, limit=wish.to_read)
        show = partial(show_incident, actor=self.caller.actor)
        return answer(page(found, wish, show=show, key=lambda incident: incident.pk))


class IncidentClosing(Door):
    """POST /incidents/{id}/close"""

    @operation(
        operation_id="close_incident",
        request=CloseBody,
        parameters=[schema.IDEMPOTENCY_KEY],
        responses={200: IncidentShape} | schema.problems(403, 404, 409),
    )
    def post(self, request: Request, incident_id: int) -> HttpResponse:
        """A person has looked at it; the note says what came of it. 409 `incident_closed` when somebody was faster,
        `incident_lasts` while its cause does: then it ends by itself."""
        said = self.read(CloseBody())
        return self.once(lambda: self._closed(incident_id, said["note"]))

    def _closed(self, incident_id: int, note: str) -> HttpResponse:
        caller = self.caller
        close_incident(incident_id, channels=caller.channel_ids, note=note, actor=caller.actor)
        closed = incident_by_id(incident_id, channels=caller.channel_ids)
        return answer(show_incident(closed, actor=caller.actor))


class ParcelMatching(Door):
    """POST /incidents/{id}/match"""

    @operation(
        operation_id="match_parcel",
        request=MatchBody,
        parameters=[schema.IDEMPOTENCY_KEY],
        responses={200: IncidentShape} | schema.problems(403, 404, 409),
    )
    def post(self, request: Request, incident_id: int) -> HttpResponse:
        """Of an `unknown_parcel`: whose it is. It is received on that refund, and the incident is closed. 409
        `incident_closed` when somebody was faster; the codes of `receive` where that refund cannot have it."""
        said = self.read(MatchBody())
        return self.once(lambda: self._matched(incident_id, said["refund"], said.get("note", "")))

    def _matched(self, incident_id: int, refund: str, note: str) -> HttpResponse:
        caller = self.caller
        match_parcel(incident_id, refund, channels=caller.channel_ids, note=note, actor=caller.actor)
        matched = incident_by_id(incident_id, channels=caller.channel_ids)
        return answer(show_incident(matched, actor=caller.actor))
