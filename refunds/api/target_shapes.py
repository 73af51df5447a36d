"""How a change of where the money goes is answered."""

from typing import Any

from rest_framework import serializers

from orders.rest.shapes import Shape
from refunds.destinations import Instrument, masked
from refunds.models import Refund


class TargetChangeShape(serializers.Serializer[Any]):
    """`payee` is the end of what the account knows the payee by. `code_expires_at`: until when the code can be entered
    that went out by `code_channel`; null without one. Neither `confirmed_at` nor `ended_at`: it waits for the code."""

    instrument = serializers.ChoiceField([instrument.value for instrument in Instrument])
    account = serializers.CharField()
    payee = serializers.CharField()
    payee_name = serializers.CharField()
    proof = serializers.CharField()
    asked_by = serializers.CharField()
    asked_at = serializers.DateTimeField()
    code_channel = serializers.CharField()
    code_expires_at = serializers.DateTimeField(allow_null=True)
    confirmed_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


_SAME = [str(name) for name in TargetChangeShape().fields if name != "payee"]


def target_change(refund: Refund) -> dict[str, Any] | None:
    """The last one. Reads `target_changes`."""
    changes = list(refund.target_changes.all())
    if not changes:
        return None
    last = {name: getattr(changes[-1], name) for name in _SAME}
    return last | {"payee": masked(changes[-1].payee) if changes[-1].payee else ""}


class ReceiptShape(Shape[Any]):
    """What the gateway tells the books of the refund it made, each as far as it does; times are the gateway's.
    `bank_reference` is by which the customer's bank finds it (a card's ARN). `settled_minor` of `settled_currency` left
    the shop's account, `fee_minor` of the same the gateway kept. `raw` is its answer, redacted."""

    accepted_at = serializers.DateTimeField(allow_null=True)
    succeeded_at = serializers.DateTimeField(allow_null=True)
    receiving_account = serializers.CharField()
    bank_reference = serializers.CharField()
    settled_minor = serializers.IntegerField(allow_null=True)
    settled_currency = serializers.CharField()
    fee_minor = serializers.IntegerField(allow_null=True)
    raw = serializers.DictField()
