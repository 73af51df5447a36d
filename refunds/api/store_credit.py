"""Store credit over the API: what a customer has, and paying with it at the shop."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from orders.errors import Invalid
from orders.rest.answers import answer
from orders.rest.door import Door
from orders.rest.fields import Amount, Body, Currency, Identifier
from orders.rest.parameters import query_text
from orders.rest.schema import operation
from orders.snapshot import snapshot
from refunds.actions import Action, permit
from refunds.api import schema
from refunds.models import StoreCreditEntry
from refunds.selectors.credit_accounts import credit_account
from refunds.selectors.store_credit import Holder, balances, entries_of, holder_named
from refunds.services.store_credit import Spend, spend

SHOWN = 100
WHOSE = [
    schema.CHANNEL,
    OpenApiParameter(
        "customer", str, description="The shop's reference of the customer, exactly as its orders state it."
    ),
    OpenApiParameter("email", str, description="Instead: his address, where his orders state no reference."),
]


class CreditBalanceShape(serializers.Serializer[Any]):
    currency = serializers.CharField()
    balance_minor = serializers.IntegerField()


class CreditEntryShape(serializers.Serializer[StoreCreditEntry]):
    """`amount_minor` is negative where it was spent. `number` is the refund's movement, or the reference of the payment
    that was made with it; `reference` the shop's own word for that."""

    kind = serializers.ChoiceField(["refund", "spend", "return"])
    number = serializers.CharField()
    amount_minor = serializers.IntegerField()
    currency = serializers.CharField(source="account.currency")
    reference = serializers.CharField()
    occurred_at = serializers.DateTimeField()


class StoreCreditShape(serializers.Serializer[Any]):
    """The newest entries first, at most a hundred; a customer who never had any has no balances. `customer` or `email`
    is whom was asked for, the other one is empty."""

    customer = serializers.CharField()
    email = serializers.CharField()
    balances = CreditBalanceShape(many=True)
    entries = CreditEntryShape(many=True)


class SpendPaymentShape(serializers.Serializer[Any]):
    """As `PUT /orders/{number}` takes it among the payments."""

    gateway = serializers.CharField()
    reference = serializers.CharField()
    captured_minor = serializers.IntegerField()
    method = serializers.CharField()


class SpentShape(serializers.Serializer[Any]):
    payment = SpendPaymentShape()
    currency = serializers.CharField()
    balance_minor = serializers.IntegerField()


class SpendBody(Body):
    """`reference`: the shop's own word for it, such as the order's number."""

    amount_minor = Amount()
    currency = Currency()
    reference = Identifier(max_length=200, required=False, allow_blank=True)

    def validate_amount_minor(self, amount: int) -> int:
        if not amount:
            raise serializers.ValidationError("must be more than 0", "too_small")
        return amount


class CreditDoor(Door):
    """A customer is named as his orders name him: `?customer=` by the shop's reference of him, exactly as stated, or
    `?email=` by his address where the orders state no reference."""

    def holder(self) -> Holder:
        """Raises Invalid unless he is named in one of both ways."""
        request = self.request._request
        reference, email = query_text(request, "customer"), query_text(request, "email", max_length=254)
        holder = holder_named(self.channel().id, reference=reference or "", email=email or "")
        if holder is None or (reference and email):
            raise Invalid.of(
                "customer", "bad_parameter", "Name the customer by ?customer=REFERENCE or by ?email=ADDRESS."
            )
        return holder


class CustomerCredit(CreditDoor):
    """GET /store-credit"""

    @operation(
        operation_id="get_store_credit",
        parameters=WHOSE,
        responses={200: StoreCreditShape} | schema.problems(404, 422),
    )
    def get(self, request: Request) -> HttpResponse:
        """What the customer has, by currency, and what came and went."""
        permit(Action.READ, self.caller.actor)
        holder = self.holder()
        named = {"customer": "", "email": ""} | {"email" if holder.by_email else "customer": holder.name}
        with snapshot():
            accounts = balances(holder)
            found = named | {"balances": accounts, "entries": entries_of(accounts, limit=SHOWN)}
        return answer(StoreCreditShape(found).data)


class CreditSpending(CreditDoor):
    """POST /store-credit/spend"""

    @operation(
        operation_id="spend_store_credit",
        request=SpendBody,
        parameters=[*WHOSE, schema.IDEMPOTENCY_KEY],
        responses={201: SpentShape} | schema.problems(403, 404, 409),
    )
    def post(self, request: Request) -> HttpResponse:
        """Pay with it. 409 `store_credit_too_low` with what is left; send an Idempotency-Key, so that nothing is spent
        twice."""
        permit(Action.SPEND_CREDIT, self.caller.actor)
        said = self.read(SpendBody())
        wanted = Spend(self.holder(), said["amount_minor"], said["currency"], said.get("reference", ""))
        return self.once(lambda: self._spent(wanted))

    def _spent(self, wanted: Spend) -> HttpResponse:
        entry = spend(wanted, actor=self.caller.actor)
        payment = {"gateway": credit_account(), "reference": entry.number, "captured_minor": wanted.amount_minor}
        left = {"currency": wanted.currency, "balance_minor": entry.account.balance_minor}
        return answer(SpentShape({"payment": payment | {"method": "gift_card"}, **left}).data, status=201)
