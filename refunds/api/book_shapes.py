"""How the books are answered, for the served schema."""

from typing import Any

from rest_framework import serializers as s

from refunds.books.lines import COLUMNS
from refunds.models import DayClose

_NUMBERS = ("entry", "exponent", "amount_minor")


class MovementSumShape(s.Serializer[Any]):
    count = s.IntegerField()
    amount_minor = s.IntegerField()


class BalanceShape(s.Serializer[Any]):
    """Of one payment account in one currency: `opening` and the `movements` by kind make the `closing`."""

    account = s.CharField()
    currency = s.CharField()
    opening = s.DictField(child=s.IntegerField())
    movements = s.DictField(child=MovementSumShape())
    closing = s.DictField(child=s.IntegerField())


class CloseShape(s.Serializer[DayClose]):
    """A closed day. `hash` covers its entries, its balances and the `previous_hash`; `sum_minor` adds up the amounts of
    all kinds and currencies, as a control total."""

    channel = s.CharField(source="channel.slug")
    day = s.DateField()
    time_zone = s.CharField()
    starts_at = s.DateTimeField(allow_null=True)
    ends_at = s.DateTimeField()
    entries = s.IntegerField()
    sum_minor = s.IntegerField()
    balances = BalanceShape(many=True)
    previous_hash = s.CharField()
    hash = s.CharField()
    closed_at = s.DateTimeField()


class ClosePageShape(s.Serializer[Any]):
    """`next_cursor` is null on the last page."""

    items = CloseShape(many=True)
    next_cursor = s.CharField(allow_null=True)


EntryShape = type(
    "EntryShape",
    (s.Serializer,),
    {name: s.IntegerField() if name in _NUMBERS else s.CharField() for name in COLUMNS},
)


class LiabilityShape(s.Serializer[Any]):
    channel = s.CharField()
    account = s.CharField()
    currency = s.CharField()
    count = s.IntegerField()
    amount_minor = s.IntegerField()
    amount = s.CharField()


class ReportItemShape(s.Serializer[Any]):
    channel = s.CharField()
    account = s.CharField()
    currency = s.CharField()
    order = s.CharField()
    refund = s.CharField()
    movement = s.CharField()
    reference = s.CharField()
    amount_minor = s.IntegerField()
    amount = s.CharField()
    since = s.DateTimeField()


class ReportShape(s.Serializer[Any]):
    """`liability`: reserved and not yet moved. Of it `reserved_long`: for over 7 days, and `unknown`: sent without word
    of what became of it. `unproven`: paid outside by a person's word, without a reference."""

    as_of = s.DateTimeField()
    liability = LiabilityShape(many=True)
    reserved_long = ReportItemShape(many=True)
    unknown = ReportItemShape(many=True)
    unproven = ReportItemShape(many=True)


_CLOSE = CloseShape()


def show_close(close: DayClose) -> dict[str, Any]:
    return _CLOSE.to_representation(close)
