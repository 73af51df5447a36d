"""The JSON of the signed gateway protocol, read strictly: what is not exactly as agreed is a ValueError."""

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from workers.ports import NO_CURRENCY, GatewayEvent, GatewayFact, GatewayStatus, can_be_kept

logger = logging.getLogger(__name__)

NONSENSE = (ValueError, KeyError, TypeError, AttributeError)
DISPUTE_KINDS = ("dispute.opened", "dispute.won", "dispute.lost")
REFUND_KIND = "refund.updated"


def fact(data: Any) -> GatewayFact:
    """One refund of an answer or a webhook."""
    row = an_object(data)
    return GatewayFact(
        gateway_refund_id=text(row, "gateway_refund_id", required=True),
        number=a_number(row.get("number")),
        status=GatewayStatus(text(row, "status", required=True)),
        amount_minor=_amount(row),
        currency=_currency(row),
        failure_code=text(row, "failure_code"),
        occurred_at=moment(row.get("created_at")),
        payment_reference=text(row, "payment_reference"),
    )


def facts(data: Mapping[str, Any]) -> tuple[GatewayFact, ...]:
    """The `refunds` of a listing or a look-up."""
    return tuple(fact(row) for row in a_list(data, "refunds"))


def readable(
    rows: Iterable[Any],
    reading: Callable[[Any], GatewayFact],
    *,
    trifles: Mapping[str, Any],
    amounts: Mapping[str, Any],
) -> tuple[GatewayFact, ...]:
    """Of a list that has everybody's refunds those which make sense: one that does not must not hide the others.

    What is wrong in one is left out, as long as it says which refund it is and of which payment: `trifles` and
    `amounts` are what the adapter reads in place of what nobody needs, and of an amount that cannot be counted.
    """
    found = []
    for row in rows:
        try:
            found.append(_read_forgivingly(row, reading, ({}, trifles, {**trifles, **amounts})))
        except NONSENSE as exc:
            logger.warning("a refund in a gateway's list makes no sense: %s", exc)
    return tuple(found)


def facts_of_page(rows: Iterable[Any]) -> tuple[GatewayFact, ...]:
    """The refunds in a list of all."""
    amounts = {"amount_minor": 0, "currency": NO_CURRENCY}
    return readable(rows, fact, trifles={"created_at": None, "failure_code": ""}, amounts=amounts)


def events(data: Mapping[str, Any]) -> tuple[GatewayEvent, ...]:
    """A webhook's content; empty for a type the engine has no use for."""
    kind = text(data, "type", required=True)
    if kind == REFUND_KIND:
        return (_refund_event(data),)
    return (_dispute_event(data, kind),) if kind in DISPUTE_KINDS else ()


def moment(value: Any) -> datetime | None:
    """An RFC 3339 time with an offset, or None for none."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError("a time is not a text")
    parsed = datetime.fromisoformat(value)
    if parsed.tzinfo is None:
        raise ValueError("a time has no offset")
    return parsed


def a_list(data: Mapping[str, Any], name: str) -> list[Any]:
    """The list under this name."""
    rows = data.get(name)
    if not isinstance(rows, list):
        raise ValueError(f"{name} is not a list")
    return rows


def an_object(value: Any) -> dict[str, Any]:
    """The value, if it is an object."""
    if not isinstance(value, dict):
        raise ValueError("an object is missing")
    return value


def a_number(value: Any) -> str:
    """Under which a refund was made: one that no row could hold is nobody's here, and as good as none."""
    return value if isinstance(value, str) and can_be_kept(value) else ""


def text(row: Mapping[str, Any], name: str, *, required: bool = False) -> str:
    """A text of the row; none is an empty one, unless it is required."""
    value = row.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or (required and not value):
        raise ValueError(f"{name} is not a text")
    return value


def _read_forgivingly(
    row: Any, reading: Callable[[Any], GatewayFact], instead: tuple[Mapping[str, Any], ...]
) -> GatewayFact:
    for replaced in instead[:-1]:
        try:
            return reading({**row, **replaced})
        except NONSENSE:
            continue
    return reading({**row, **instead[-1]})


def _refund_event(data: Mapping[str, Any]) -> GatewayEvent:
    refund = fact(data.get("refund"))
    return GatewayEvent(
        event_id=text(data, "id", required=True),
        kind=REFUND_KIND,
        payment_reference=refund.payment_reference,
        number=refund.number,
        gateway_refund_id=refund.gateway_refund_id,
        status=refund.status,
        amount_minor=refund.amount_minor,
        currency=refund.currency,
        occurred_at=moment(data.get("occurred_at")),
        failure_code=refund.failure_code,
    )


def _dispute_event(data: Mapping[str, Any], kind: str) -> GatewayEvent:
    dispute = an_object(data.get("dispute"))
    return GatewayEvent(
        event_id=text(data, "id", required=True),
        kind=kind,
        payment_reference=text(dispute, "payment_reference", required=True),
        number="",
        gateway_refund_id=text(dispute, "dispute_id", required=True),
        status=None,
        amount_minor=_amount(dispute),
        currency=_currency(dispute),
        occurred_at=moment(data.get("occurred_at")),
    )


def _amount(row: Mapping[str, Any]) -> int:
    value = row.get("amount_minor")
    if type(value) is not int or value < 0:
        raise ValueError("amount_minor is not a whole number")
    return value


def _currency(row: Mapping[str, Any]) -> str:
    return text(row, "currency", required=True).upper()
