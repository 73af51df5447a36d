"""What the courier is asked, read from the bodies of the protocol; 422 names what is wrong."""

from datetime import datetime
from typing import Any

from workers.local.journal import Row
from workers.local.sandbox.answering import unprocessable


def pickup_order(data: Any) -> Row:
    """A booking: who, where, how many parcels, and when, if that is said."""
    row = _object(data, "the body")
    places = {name: _object(row.get(name, {}), name) for name in ("address", "return_address", "contact")}
    parcels = row.get("parcels", 1)
    if type(parcels) is not int or not 1 <= parcels <= 100:
        raise unprocessable("parcels is not a whole number from 1 to 100")
    slot = None if row.get("slot") is None else _slot(row["slot"])
    told = {"number": _text(row, "number"), "refund": _text(row, "refund")}
    return {**told, **places, "parcels": parcels, "slot": slot, "drop_off": row.get("drop_off") is True}


def cancel_order(data: Any, waybill: str) -> Row:
    """Which pickup is called off, by number and waybill."""
    return {"number": _text(_object(data, "the body"), "number"), "waybill": waybill}


def intercept_order(data: Any) -> Row:
    """Which parcel is to be stopped; to the courier a tracking number is a waybill."""
    row = _object(data, "the body")
    told = {name: _text(row, name) for name in ("number", "tracking_number")}
    optional = {name: str(row.get(name) or "") for name in ("refund", "carrier")}
    return {**told, **optional, "waybill": told["tracking_number"]}


def aware_time(value: Any, name: str) -> datetime:
    """An RFC 3339 time with an offset."""
    try:
        parsed = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        parsed = None
    if parsed is None or parsed.tzinfo is None:
        raise unprocessable(f"{name} is no time with an offset")
    return parsed


def _slot(value: Any) -> Row:
    row = _object(value, "slot")
    if aware_time(row.get("starts_at"), "slot.starts_at") >= aware_time(row.get("ends_at"), "slot.ends_at"):
        raise unprocessable("the slot ends before it starts")
    return {name: row[name] for name in ("starts_at", "ends_at")}


def _object(value: Any, name: str) -> Row:
    if not isinstance(value, dict):
        raise unprocessable(f"{name} is not an object")
    return value


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value:
        raise unprocessable(f"{name} is missing")
    return value
