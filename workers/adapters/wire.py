"""The JSON of the signed gateway protocol, read strictly: what is not exactly as agreed is a ValueError."""

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from workers.ports import (
    MOST_MINOR,
    NO_CURRENCY,
    GatewayEvent,
    GatewayFact,
    GatewayStatus,
    Receipt,
    can_be_kept,
    masked,
    redacted,
    reference,
)

logger = logging.getLogger(__name__)

T = TypeVar("T")

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
        receipt=receipt(row),
    )


def receipt(row: Mapping[str, Any]) -> Receipt:
    """What a refund of the protocol tells the books."""
    settled_minor, settled_currency = settled(row.get("settled_minor"), row.get("settled_currency"))
    return Receipt(
        accepted_at=told(lambda: moment(row.get("accepted_at") or row.get("created_at"))),
        succeeded_at=told(lambda: moment(row.get("succeeded_at"))),
        receiving_account=masked(str(row.get("receiving_account") or "")),
        bank_reference=reference(str(row.get("bank_reference") or "")),
        settled_minor=settled_minor,
        settled_currency=settled_currency,
        fee_minor=told(lambda: a_count(row.get("fee_minor"))) if settled_currency else None,
        raw=redacted(row),
    )


def told(reading: Callable[[], T]) -> T | None:
    """What is told for the books; nonsense there is none, and says nothing about the refund."""
    try:
        return reading()
    except NONSENSE:
        return None


def settled(amount_minor: Any, currency: Any) -> tuple[int | None, str]:
    """An amount counts with its currency only."""
    amount, code = told(lambda: a_count(amount_minor)), str(currency or "").upper()
    is_whole = amount is not None and len(code) == 3 and code.isalpha()
    return (amount, code) if is_whole else (None, "")


def a_count(value: Any) -> int | None:
    """A whole number of minor units, or None for none."""
    if value is not None and (type(value) is not int or not 0 <= value <= MOST_MINOR):
        raise ValueError("an amount is not a whole number")
    return value


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
        receipt=refund.receipt,
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
