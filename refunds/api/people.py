"""The people of a caller's channels, and letting one out."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from orders.rest.answers import answer
from orders.rest.door import Door
from orders.rest.schema import operation
from orders.roles import KEY_ROLES
from orders.snapshot import snapshot
from refunds.api import schema
from refunds.selectors.desk import Person, people
from refunds.services.leaving import Left, leave, permit_people


class PersonShape(serializers.Serializer[Person]):
    """`id` is the name that events give him; `cases`: so many open ones are his; `left_at` is null while he works
    here.
    """

    id = serializers.CharField(source="reference")
    name = serializers.CharField(source="principal.name")
    role = serializers.ChoiceField([role.value for role in KEY_ROLES], source="principal.role")
    cases = serializers.IntegerField()
    left_at = serializers.DateTimeField(source="principal.left_at", allow_null=True)
    left_by = serializers.CharField(source="principal.left_by")


class PeopleShape(serializers.Serializer[Any]):
    items = PersonShape(many=True)


class LeftShape(serializers.Serializer[Left]):
    """`cases` are the numbers of the refunds that are nobody's now."""

    id = serializers.CharField(source="reference")
    left_at = serializers.DateTimeField(source="principal.left_at")
    cases = serializers.ListField(child=serializers.CharField())


class People(Door):
    """GET /people"""

    @operation(operation_id="list_people", responses={200: PeopleShape} | schema.problems(403))
    def get(self, request: Request) -> HttpResponse:
        """Who works for the caller's channels and no others; those who have left come last."""
        permit_people(self.caller.actor)
        with snapshot():
            found = people(channels=self.caller.channel_ids)
        return answer({"items": [PersonShape().to_representation(person) for person in found]})


class PersonLeaving(Door):
    """POST /people/{id}/leave"""

    @operation(
        operation_id="person_leaves",
        request=None,
        parameters=[schema.IDEMPOTENCY_KEY],
        responses={200: LeftShape} | schema.problems(403, 404, 409),
    )
    def post(self, request: Request, principal_id: int) -> HttpResponse:
        """He has left: his keys are revoked, he is logged out for good, and his open cases are nobody's again. What he
        approved stands. 409 `oneself`."""
        self.parsed = {}
        return self.once(lambda: self._left(principal_id))

    def _left(self, principal_id: int) -> HttpResponse:
        left = leave(principal_id, channels=self.caller.channel_ids, actor=self.caller.actor)
        return answer(LeftShape().to_representation(left))
